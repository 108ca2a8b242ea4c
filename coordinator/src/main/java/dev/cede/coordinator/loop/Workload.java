package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * Pods that are planned together: those of one controller owner, or one pod without (E1).
 *
 * @param key the owner's or the pod's UID
 * @param waiting valid pods without a place, in the order of their names
 * @param complete whether all that are to come have come
 * @param completeAt when it counts as complete if none is added
 */
record Workload(
        String key, String name, List<PodFacts> waiting, boolean complete, Instant completeAt) {

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
