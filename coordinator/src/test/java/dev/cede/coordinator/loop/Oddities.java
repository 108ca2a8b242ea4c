package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.PodFacts;

import java.util.List;

/** Pods that differ in what never changes of a pod. */
final class Oddities {
    private Oddities() {}

    static PodFacts ofScheduler(PodFacts pod, String scheduler) {
        return Facts.with(pod, now -> now.scheduler = scheduler);
    }

    static PodFacts neverPreempting(PodFacts pod) {
        return Facts.with(pod, now -> now.neverPreempts = true);
    }

    static PodFacts gated(PodFacts pod) {
        return Facts.with(pod, now -> now.gated = true);
    }

    static PodFacts withoutShares(PodFacts pod) {
        return Facts.with(pod, now -> now.containers = List.of());
    }

    /** Another one, {@code d}, that asks as the first. */
    static PodFacts ofTwoContainers(PodFacts pod) {
        ContainerFacts first = pod.containers().getFirst();
        ContainerFacts second = new ContainerFacts(
                "d",
                first.kind(),
                first.memory(),
                first.memoryRequest(),
                first.core(),
                first.coreRequest(),
                first.wholeCards());
        return Facts.with(pod, now -> now.containers = List.of(first, second));
    }
}
