package dev.cede.testbed.kubelet.core;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/** What the kubelet is to do at a later time. Equal times go in the order they were set. */
final class Timers {
    sealed interface Timer {
        record NodeStatus() implements Timer {}

        /** The sandbox is up: start what is to be started. */
        record SyncPod(String podUid) implements Timer {}

        record RetryContainer(String podUid, String container) implements Timer {}

        /** Grace is over for this run of the container. */
        record KillContainer(String podUid, String container, String containerId)
                implements Timer {}

        /** The pod's grace is over: sidecars whose turn has not come are told to end, too. */
        record GraceEnded(String podUid) implements Timer {}

        record WriteFinal(String podUid) implements Timer {}

        record RemoveObject(String podUid) implements Timer {}
    }

    private record Entry(Instant due, long order, Timer timer) {}

    private final PriorityQueue<Entry> queue =
            new PriorityQueue<>(Comparator.comparing(Entry::due).thenComparing(Entry::order));
    private long order;

    void set(Instant due, Timer timer) {
        queue.add(new Entry(due, order++, timer));
    }

    Optional<Instant> nextDue() {
        return Optional.ofNullable(queue.peek()).map(Entry::due);
    }

    Optional<Timer> takeDue(Instant now) {
        Entry first = queue.peek();
        return first == null || first.due().isAfter(now)
                ? Optional.empty()
                : Optional.of(queue.remove().timer());
    }
}
