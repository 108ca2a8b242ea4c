package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.PodFacts;

import java.util.List;

/** Pods that differ in what never changes of a pod. */
record Oddities(
        String scheduler, boolean neverPreempts, boolean gated, List<ContainerFacts> containers) {

    static PodFacts ofScheduler(PodFacts pod, String scheduler) {
        return new Oddities(scheduler, pod.neverPreempts(), pod.gated(), pod.containers())
                .applied(pod);
    }

    static PodFacts neverPreempting(PodFacts pod) {
        return new Oddities(pod.schedulerName(), true, pod.gated(), pod.containers()).applied(pod);
    }

    static PodFacts gated(PodFacts pod) {
        return new Oddities(pod.schedulerName(), pod.neverPreempts(), true, pod.containers())
                .applied(pod);
    }

    static PodFacts withoutShares(PodFacts pod) {
        return new Oddities(pod.schedulerName(), pod.neverPreempts(), pod.gated(), List.of())
                .applied(pod);
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
        return new Oddities(
                        pod.schedulerName(),
                        pod.neverPreempts(),
                        pod.gated(),
                        List.of(first, second))
                .applied(pod);
    }

    private PodFacts applied(PodFacts pod) {
        return new PodFacts(
                pod.ref(),
                pod.resourceVersion(),
                scheduler,
                pod.priority(),
                pod.priorityClass(),
                neverPreempts,
                gated,
                pod.nodeName(),
                pod.nominatedNode(),
                pod.phase(),
                pod.statusReason(),
                pod.created(),
                pod.deletionTimestamp(),
                pod.grace(),
                pod.started(),
                pod.owner(),
                pod.mirror(),
                pod.labels(),
                pod.annotations(),
                containers,
                pod.requests(),
                pod.placement(),
                pod.scheduledMessage(),
                pod.fence());
    }
}
