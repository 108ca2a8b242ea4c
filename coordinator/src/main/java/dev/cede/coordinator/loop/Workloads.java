package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Groups waiting pods into workloads (E1). */
final class Workloads {
    private final LoopState state;

    /** When each waiting pod was first seen here, by UID. */
    private final Map<String, Instant> firstSeen = new HashMap<>();

    Workloads(LoopState state) {
        this.state = state;
    }

    /** Pods of ours that wait for a place, whether or not they may have one. */
    List<PodFacts> waiting() {
        List<PodFacts> waiting =
                state.cluster.pods().stream().filter(this::waits).toList();
        waiting.forEach(pod -> firstSeen.putIfAbsent(pod.uid(), state.now));
        return waiting;
    }

    private boolean waits(PodFacts pod) {
        return state.ours(pod)
                && !pod.gated()
                && !pod.bound()
                && !pod.terminating()
                && pod.phase() == PodPhase.PENDING
                && !state.claims.containsKey(pod.uid());
    }

    void forget(String podUid) {
        firstSeen.remove(podUid);
    }

    /** In queue order. */
    List<Workload> of(List<PodFacts> pods) {
        SortedMap<String, List<PodFacts>> groups = new TreeMap<>();
        for (PodFacts pod : pods) {
            groups.computeIfAbsent(key(pod), key -> new ArrayList<>()).add(pod);
        }
        return groups.entrySet().stream()
                .map(group -> workload(group.getKey(), group.getValue()))
                .sorted(Workload.QUEUE)
                .toList();
    }

    private static String key(PodFacts pod) {
        return pod.owner().map(OwnerRef::uid).orElse(pod.uid());
    }

    /** The workload of a pod, also of one that is known by name only. */
    static String key(LoopState state, PodRef pod) {
        return state.cluster.pod(pod.uid()).map(Workloads::key).orElse(pod.uid());
    }

    private Workload workload(String key, List<PodFacts> pods) {
        List<PodFacts> sorted =
                pods.stream().sorted(Comparator.comparing(PodFacts::ref)).toList();
        PodFacts first = sorted.get(0);
        String name = first.ref().namespace() + "/"
                + first.owner().map(OwnerRef::name).orElse(first.ref().name());
        Instant completeAt = sorted.stream()
                .map(pod -> firstSeen.getOrDefault(pod.uid(), state.now))
                .max(Comparator.naturalOrder())
                .orElse(state.now)
                .plus(state.settings.workloadSettle());
        boolean complete = first.owner().isEmpty()
                || missing(first.owner().get(), sorted.size()).map(n -> n <= 0).orElse(false)
                || !completeAt.isAfter(state.now);
        return new Workload(key, name, sorted, complete, completeAt);
    }

    /** How many pods are still to come; empty where the owner does not say. */
    private Optional<Long> missing(OwnerRef owner, int waiting) {
        return state.cluster
                .owner(owner.uid())
                .map(OwnerFacts::replicas)
                .filter(replicas -> replicas >= 0)
                .map(replicas -> replicas - placed(owner) - waiting);
    }

    private long placed(OwnerRef owner) {
        return state.cluster.pods().stream()
                .filter(pod -> pod.owner().filter(owner::equals).isPresent())
                .filter(pod -> !pod.finished() && !pod.terminating())
                .filter(pod -> pod.bound() || state.claims.containsKey(pod.uid()))
                .count();
    }
}
