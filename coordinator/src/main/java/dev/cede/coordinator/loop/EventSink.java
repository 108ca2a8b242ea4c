package dev.cede.coordinator.loop;

/** Where adapters put what happened. */
@FunctionalInterface
public interface EventSink {
    /** Keeps the order of one caller, and never blocks. */
    void post(Event event);

    /**
     * Waits while the loop is far behind. For callers that can make their own source wait, holding
     * no lock.
     */
    default void pace() {}
}
