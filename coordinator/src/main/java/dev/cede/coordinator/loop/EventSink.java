package dev.cede.coordinator.loop;

/** Where adapters put what happened. */
@FunctionalInterface
public interface EventSink {
    /** Keeps the order of one caller; may block while the loop is behind. */
    void post(Event event);
}
