package dev.cede.coordinator.zookeeper;

import dev.cede.model.Epoch;

/**
 * Whether effects of a term may start. Closed from the moment at which leadership is in doubt,
 * before anybody is told.
 */
public final class TermGate {
    private static final long NONE = 0;

    private long term = NONE;
    private boolean suspended;

    synchronized void open(Epoch epoch) {
        term = epoch.value();
        suspended = false;
        notifyAll();
    }

    synchronized void suspend() {
        suspended = true;
    }

    synchronized void resume() {
        suspended = false;
        notifyAll();
    }

    synchronized void close() {
        term = NONE;
        suspended = false;
        notifyAll();
    }

    /** Whether this is the term that lasts, suspended or not. */
    synchronized boolean lasts(long epoch) {
        return epoch != NONE && epoch == term;
    }

    /** Waits while the term is suspended; false once it is over, and when interrupted. */
    public synchronized boolean mayStart(long epoch) {
        while (lasts(epoch) && suspended) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return lasts(epoch);
    }
}
