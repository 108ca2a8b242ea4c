package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.Cause;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * Pods that are planned together: those of an explicit group, else those of one controller owner,
 * else one pod (E1).
 *
 * @param key unique among workloads, and the same for as long as it lives
 * @param waiting valid pods without a place, in the order of their names
 * @param size how many of them start, and when
 */
record Workload(String key, String name, List<PodFacts> waiting, Size size) {

    /** What is known of a workload's size. */
    sealed interface Size {
        /** So many of those that wait only start together; the others when they fit. */
        record Together(int members) implements Size {}

        /**
         * Those that fit without eviction start at once, the others together.
         *
         * @param complete whether all that are to come have come
         * @param completeAt when it counts as complete if none is added
         */
        record FittingFirst(boolean complete, Instant completeAt) implements Size {}

        /**
         * Nothing is planned yet.
         *
         * @param why a sentence for the operator
         * @param until when that may change by itself; {@link Instant#MAX} for never
         */
        record TooFew(Cause cause, String why, Instant until) implements Size {}
    }

    /** Higher priority first, then the older one, then by name. */
    static final Comparator<Workload> QUEUE = Comparator.comparingInt(Workload::priority)
            .reversed()
            .thenComparing(Workload::since)
            .thenComparing(Workload::name)
            .thenComparing(Workload::key);

    int priority() {
        return waiting.stream().mapToInt(PodFacts::priority).max().orElse(0);
    }

    Instant since() {
        return waiting.stream()
                .map(PodFacts::created)
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }
}
