package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.Snapshot.Cause;
import dev.cede.coordinator.loop.Workload.Size;
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
import java.util.function.Predicate;

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
                state.cluster.pods().stream().filter(state::waits).toList();
        waiting.forEach(pod -> firstSeen.putIfAbsent(pod.uid(), state.now));
        return waiting;
    }

    void forget(String podUid) {
        firstSeen.remove(podUid);
    }

    /** In queue order. */
    List<Workload> of(List<PodFacts> pods) {
        SortedMap<String, List<PodFacts>> groups = new TreeMap<>();
        for (PodFacts pod : pods) {
            groups.computeIfAbsent(key(state, pod), key -> new ArrayList<>()).add(pod);
        }
        return groups.entrySet().stream()
                .map(group -> workload(group.getKey(), group.getValue()))
                .sorted(Workload.QUEUE)
                .toList();
    }

    private static String key(LoopState state, PodFacts pod) {
        boolean alone = state.settings.workloadPolicy() == WorkloadPolicy.MIN_AVAILABLE;
        return pod.group()
                .map(GroupRef::toString)
                .or(() -> pod.owner().filter(owner -> !alone).map(OwnerRef::uid))
                .orElse(pod.uid());
    }

    /** The workload of a pod, also of one that is known by name only. */
    static String key(LoopState state, PodRef pod) {
        return state.cluster.pod(pod.uid()).map(found -> key(state, found)).orElse(pod.uid());
    }

    private Workload workload(String key, List<PodFacts> pods) {
        List<PodFacts> sorted =
                pods.stream().sorted(Comparator.comparing(PodFacts::ref)).toList();
        PodFacts first = sorted.get(0);
        if (first.group().isPresent()) {
            GroupRef group = first.group().get();
            String name = group.namespace() + "/" + group.name();
            return new Workload(key, name, sorted, sizeOf(group, sorted.size()));
        }
        Optional<OwnerRef> owner = first.owner().filter(found -> !key.equals(first.uid()));
        String name = first.ref().namespace() + "/"
                + owner.map(OwnerRef::name).orElse(first.ref().name());
        return new Workload(key, name, sorted, sizeOf(owner, sorted));
    }

    /** Below its minimum nothing of a group starts; what is beyond it joins as it comes. */
    private Size sizeOf(GroupRef group, int waiting) {
        Optional<GroupFacts> facts = state.cluster.group(group);
        if (facts.isEmpty()) {
            return new Size.TooFew(Cause.TOO_FEW, group + " does not exist", Instant.MAX);
        }
        long needed = missing(state, group);
        if (needed > waiting) {
            int minimum = facts.get().minMember();
            return new Size.TooFew(
                    Cause.TOO_FEW,
                    "%s has %d of the %d members that it starts with (minMember)"
                            .formatted(group, waiting + minimum - needed, minimum),
                    Instant.MAX);
        }
        if (needed > 0) {
            return new Size.Together((int) needed);
        }
        return missing(state, group, claim -> mayStart(state, claim)) > 0
                ? new Size.TooFew(
                        Cause.OTHERS_FIRST,
                        "those that its group starts with do not start yet",
                        Instant.MAX)
                : new Size.FittingFirst(true, Instant.MIN);
    }

    /** A plan that is not at its Bindings may yet come to nothing. */
    private static boolean mayStart(LoopState state, Claim claim) {
        OpenPlan plan = state.plans.get(claim.plan());
        return plan == null || plan.step() == Step.BINDING;
    }

    /** How many members have no place yet of those that a group starts with. */
    static long missing(LoopState state, GroupRef group) {
        return missing(state, group, claim -> true);
    }

    private static long missing(LoopState state, GroupRef group, Predicate<Claim> counts) {
        long placed = placed(
                state,
                pod -> pod.group().filter(group::equals).isPresent()
                        && pod.phase() != PodPhase.FAILED,
                counts);
        return state.cluster
                .group(group)
                .map(facts -> Math.max(0, facts.minMember() - placed))
                .orElse(0L);
    }

    private Size sizeOf(Optional<OwnerRef> owner, List<PodFacts> waiting) {
        Instant completeAt = waiting.stream()
                .map(pod -> firstSeen.getOrDefault(pod.uid(), state.now))
                .max(Comparator.naturalOrder())
                .orElse(state.now)
                .plus(state.settings.workloadSettle());
        boolean complete = owner.isEmpty()
                || missing(owner.get(), waiting.size()).map(n -> n == 0).orElse(false)
                || !completeAt.isAfter(state.now);
        if (owner.isEmpty() || state.settings.workloadPolicy() == WorkloadPolicy.ALL) {
            return new Size.FittingFirst(complete, completeAt);
        }
        return complete
                ? new Size.Together(waiting.size())
                : new Size.TooFew(
                        Cause.TOO_FEW, "the workload's other pods are not there yet", completeAt);
    }

    /**
     * How many pods are still to come; empty where the owner does not say. Less than none when its
     * pods were told before what it asks for by now.
     */
    private Optional<Long> missing(OwnerRef owner, int waiting) {
        return state.cluster
                .owner(owner.uid())
                .map(OwnerFacts::replicas)
                .filter(replicas -> replicas >= 0)
                .map(replicas -> replicas
                        - placed(
                                state,
                                pod -> pod.owner().filter(owner::equals).isPresent()
                                        && !pod.finished(),
                                claim -> true)
                        - waiting);
    }

    /** Whether those of the pod's group that are started, or may be now, are its minimum (E1). */
    static boolean mayStart(LoopState state, PodFacts member) {
        return member.group()
                .map(group -> missing(state, group, claim -> mayStart(state, claim)) == 0)
                .orElse(true);
    }

    /** Whether the pod's group has its minimum with those that have a place (E1). */
    static boolean enough(LoopState state, PodFacts placed) {
        return enough(state, placed, 0);
    }

    /** Whether these are enough to start, with those of their group that have a place (E1). */
    static boolean enough(LoopState state, List<PodFacts> members) {
        return members.stream().allMatch(pod -> enough(state, pod, members.size()));
    }

    private static boolean enough(LoopState state, PodFacts member, int more) {
        return member.group()
                .map(group -> state.cluster
                        .group(group)
                        .filter(facts -> missing(state, group) <= more)
                        .isPresent())
                .orElse(true);
    }

    /** Members that have a place, or are about to. */
    private static long placed(
            LoopState state, Predicate<PodFacts> member, Predicate<Claim> counts) {
        return state.cluster.pods().stream()
                .filter(member)
                .filter(pod -> !pod.terminating())
                .filter(pod -> pod.bound()
                        || Optional.ofNullable(state.claims.get(pod.uid()))
                                .filter(counts)
                                .isPresent())
                .count();
    }
}
