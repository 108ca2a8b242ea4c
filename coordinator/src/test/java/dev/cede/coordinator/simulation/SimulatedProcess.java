package dev.cede.coordinator.simulation;

import java.util.ArrayDeque;
import java.util.Queue;

/** A process that may die, with all it was about to do, or stand still for a while. */
final class SimulatedProcess {
    private final Timeline time;
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean alive = true;
    private boolean paused;

    SimulatedProcess(Timeline time) {
        this.time = time;
    }

    boolean isAlive() {
        return alive;
    }

    boolean isPaused() {
        return paused;
    }

    /** Later, unless it is dead by then. */
    void after(long delay, Runnable run) {
        time.after(delay, () -> now(run));
    }

    void now(Runnable run) {
        if (!alive) {
            return;
        }
        if (paused) {
            held.add(run);
        } else {
            run.run();
        }
    }

    void pause() {
        paused = true;
    }

    /** What came meanwhile is done in its order. */
    void resume() {
        paused = false;
        while (alive && !paused && !held.isEmpty()) {
            held.remove().run();
        }
    }

    void kill() {
        alive = false;
        held.clear();
    }
}
