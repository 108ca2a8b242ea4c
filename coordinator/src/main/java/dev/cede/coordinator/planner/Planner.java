package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision.NoRoom;
import dev.cede.coordinator.planner.ShareAsk.Invalid;
import dev.cede.coordinator.planner.ShareAsk.Valid;
import dev.cede.coordinator.planner.WorkloadSearch.Found;
import dev.cede.coordinator.planner.WorkloadSearch.Outcome;
import dev.cede.coordinator.planner.WorkloadSearch.Stuck;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds places, and if need be victims, for the pods of a workload. */
public final class Planner {
    private static final List<Reach> AS_THINGS_ARE = List.of(Reach.FREE);
    private static final List<Reach> SHORT_WAIT = List.of(Reach.FREE, Reach.SOON);
    private static final List<Reach> EVICTION =
            List.of(Reach.FREE, Reach.SOON, Reach.EVICT, Reach.LATE);
    private static final List<Reach> LONG_WAIT = List.of(Reach.FREE, Reach.SOON, Reach.LATE);

    private final Question question;
    private final List<Member> members;
    private final TreeMap<String, NodeState> nodes = new TreeMap<>();

    private Planner(Question question, List<Member> members) {
        this.question = question;
        this.members = members;
        Protection protection = new Protection(question.pods);
        question.nodes.forEach(
                (name, view) -> nodes.put(name, NodeStates.of(view, protection, question.now)));
    }

    /**
     * Decides for pods that are placed together or not at all, in their order. A way without
     * victims and without waiting comes first, then one that waits for leaving pods, then one with
     * victims (C5).
     */
    public static Decision decide(Question question) {
        List<Member> members = new ArrayList<>();
        for (PodFacts pod : question.pods) {
            switch (ShareAsk.of(pod, question.settings.coreStep())) {
                case Invalid invalid -> {
                    return new NoRoom(invalid.sentence(), true, List.of());
                }
                case Valid valid ->
                    members.add(new Member(
                            members.size() + 1,
                            pod,
                            valid.ask(),
                            valid.ask().parts(),
                            whyNoEviction(question, pod)));
            }
        }
        return members.isEmpty()
                ? new Decision.Place(List.of(), List.of(), "")
                : new Planner(question, members).decide();
    }

    private static Optional<String> whyNoEviction(Question question, PodFacts pod) {
        if (!question.settings.preemption()) {
            return Optional.of("enable_preemption is false");
        }
        if (pod.neverPreempts()) {
            return Optional.of("its preemptionPolicy is Never");
        }
        return question.mayEvict ? Optional.empty() : Optional.of("none may be chosen for it now");
    }

    private Decision decide() {
        Optional<NoRoom> tooLarge = Unresolvable.of(members, question.nodes);
        if (tooLarge.isPresent()) {
            return tooLarge.get();
        }
        if (search(AS_THINGS_ARE) instanceof Found found) {
            return PlanWriter.place(members, found);
        }
        return switch (search(SHORT_WAIT)) {
            case Found found -> PlanWriter.place(members, PlanWriter.withoutUseless(found));
            case Stuck stuck -> question.mayEvict ? evictOrWait(stuck) : refuse(stuck);
        };
    }

    private Decision evictOrWait(Stuck withoutEviction) {
        Stuck stuck = withoutEviction;
        Optional<String> expected = Optional.empty();
        if (members.stream().anyMatch(Member::mayEvict)) {
            switch (search(EVICTION)) {
                case Stuck deeper -> stuck = deeper;
                case Found found -> {
                    Found lean = PlanWriter.withoutUseless(found);
                    expected = Comeback.expected(question, lean);
                    if (expected.isEmpty()) {
                        return PlanWriter.place(members, lean);
                    }
                }
            }
        }
        if (search(LONG_WAIT) instanceof Found found) {
            return PlanWriter.place(members, PlanWriter.withoutUseless(found));
        }
        return expected.isPresent() ? reasons(stuck).waitingForNode(expected.get()) : refuse(stuck);
    }

    private Outcome search(List<Reach> reaches) {
        return WorkloadSearch.search(members, nodes, reaches, question.settings);
    }

    private NoRoom refuse(Stuck stuck) {
        return reasons(stuck).noRoom(switchWouldHelp());
    }

    private Reasons reasons(Stuck stuck) {
        return new Reasons(stuck, members.size(), question.settings);
    }

    /** Asks the same with the switch on (D5). */
    private boolean switchWouldHelp() {
        PlannerSettings set = question.settings;
        if (set.topologyAware() || members.stream().noneMatch(Member::mayEvict)) {
            return false;
        }
        return WorkloadSearch.search(members, nodes, EVICTION, set.withTopologyAware(true))
                instanceof Found;
    }

    /**
     * A question to the planner.
     *
     * @param pods placed together or not at all; all valid by {@link ShareAsk}
     * @param mayEvict false where only free room, and room that is free within the configured wait,
     *     counts (C6)
     */
    public record Question(
            List<PodFacts> pods,
            SortedMap<String, NodeView> nodes,
            PlannerSettings settings,
            boolean mayEvict,
            Instant now) {}
}
