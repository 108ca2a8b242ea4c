package dev.cede.coordinator.simulation;

import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/** One queue of virtual time, in milliseconds; what is due at once goes in the order it was asked. */
final class Timeline {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Task(long due, long order, Runnable run) {}

    private final PriorityQueue<Task> queue =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
    private final StringBuilder trace = new StringBuilder();
    private final boolean tracing;
    private long now;
    private long order;

    Timeline(boolean tracing) {
        this.tracing = tracing;
    }

    long now() {
        return now;
    }

    Instant instant() {
        return START.plusMillis(now);
    }

    static long millis(Instant time) {
        return time.toEpochMilli() - START.toEpochMilli();
    }

    void after(long delay, Runnable run) {
        at(now + delay, run);
    }

    void at(long due, Runnable run) {
        queue.add(new Task(Math.max(due, now), order++, run));
    }

    /** Runs the next task; false if it is due only after the limit. */
    boolean step(long limit) {
        Task next = queue.peek();
        if (next == null || next.due() > limit) {
            now = limit;
            return false;
        }
        queue.remove();
        now = next.due();
        next.run().run();
        return true;
    }

    void trace(String actor, Supplier<String> line) {
        if (tracing) {
            trace.append("%8.3f %-6s ".formatted(now / 1000.0, actor))
                    .append(line.get())
                    .append('\n');
        }
    }

    String traced() {
        return trace.toString();
    }
}
