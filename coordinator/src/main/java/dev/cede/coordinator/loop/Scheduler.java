package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.Cause;
import dev.cede.coordinator.loop.Workload.Size;
import dev.cede.coordinator.planner.Decision;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.Planner;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.model.Reservation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Decides for every waiting workload, in queue order. A workload for which there was no room is
 * looked at again only when something has changed (E11).
 */
final class Scheduler {
    /** What a "no room" was decided on. */
    private record Memo(long world, List<String> members, Size size) {}

    /** So short a wait is for inspection only: the decision follows within the settle time. */
    private static final String INCOMPLETE =
            "fits nowhere without preemption, which waits until the workload's pods are all there";

    private final LoopState state;
    private final Workloads workloads;
    private final Plans plans;
    private final TakeOver takeOver;
    private final Reasons reasons;
    private final Map<String, Memo> memos = new HashMap<>();
    private SortedMap<String, NodeView> views;

    Scheduler(LoopState state, Workloads workloads, Plans plans, Reasons reasons) {
        this.state = state;
        this.workloads = workloads;
        this.plans = plans;
        this.takeOver = new TakeOver(state);
        this.reasons = reasons;
    }

    void step() {
        List<PodFacts> valid = new ArrayList<>();
        for (PodFacts pod : workloads.waiting()) {
            switch (ShareAsk.of(pod, state.planner.coreStep())) {
                case ShareAsk.Valid ask -> valid.add(pod);
                case ShareAsk.Invalid invalid -> reasons.invalid(pod, invalid.sentence());
            }
        }
        List<Workload> queue = workloads.of(valid);
        memos.keySet().retainAll(queue.stream().map(Workload::key).toList());
        views = null;
        queue.forEach(this::decide);
        expectNodes();
    }

    private void decide(Workload workload) {
        if (state.backoff.until(workload.key()).isAfter(state.now)) {
            state.out.wakeAt(state.backoff.until(workload.key()));
            return;
        }
        completeAt(workload).ifPresent(state.out::wakeAt);
        Memo memo = memo(workload);
        if (memo.equals(memos.get(workload.key()))) {
            return;
        }
        switch (workload.size()) {
            case Size.TooFew few ->
                workload.waiting().forEach(pod -> reasons.waiting(pod, few.cause(), few.why()));
            case Size.Together together -> placeWhole(workload, together.members());
            case Size.FittingFirst size -> {
                List<PodFacts> left = placeWithoutEviction(workload);
                if (!left.isEmpty()) {
                    placeTogether(workload, left, size.complete());
                }
            }
        }
        memos.put(workload.key(), memo(workload));
    }

    /** When a size that is not certain yet will be. */
    private static Optional<Instant> completeAt(Workload workload) {
        return switch (workload.size()) {
            case Size.FittingFirst size when !size.complete() -> Optional.of(size.completeAt());
            case Size.TooFew few when few.until().isBefore(Instant.MAX) -> Optional.of(few.until());
            default -> Optional.empty();
        };
    }

    private Memo memo(Workload workload) {
        List<String> members = workload.waiting().stream().map(PodFacts::uid).toList();
        return new Memo(state.world, members, workload.size());
    }

    /** Members that need nobody's leave start at once; the others are returned (E1). */
    private List<PodFacts> placeWithoutEviction(Workload workload) {
        List<PodFacts> left = new ArrayList<>();
        for (PodFacts pod : workload.waiting()) {
            Decision decision = ask(List.of(pod), false);
            if (decision instanceof Decision.Place place) {
                place.placements().forEach(this::claim);
                reasons.placed(pod, place.note());
            } else {
                left.add(pod);
            }
        }
        return left;
    }

    /**
     * So many of them, or none (E1): the first, or else the first of those that would have a place
     * by themselves.
     */
    private void placeWhole(Workload workload, int size) {
        List<PodFacts> first = workload.waiting().subList(0, size);
        if (placeWhole(workload, first)) {
            return;
        }
        List<PodFacts> able = workload.waiting().stream()
                .filter(pod ->
                        ask(List.of(pod), state.planner.preemption()) instanceof Decision.Place)
                .limit(size)
                .toList();
        if (able.size() == size && !able.equals(first) && placeWhole(workload, able)) {
            return;
        }
        String why = "the first " + size + " members of its group have no place yet";
        workload.waiting().stream()
                .skip(size)
                .forEach(pod -> reasons.waiting(pod, Cause.OTHERS_FIRST, why));
    }

    /** All of them, or none; that nothing is evicted makes no difference. */
    private boolean placeWhole(Workload workload, List<PodFacts> members) {
        if (ask(members, false) instanceof Decision.Place place) {
            open(workload, members, place);
            return true;
        }
        return placeTogether(workload, members, true);
    }

    private void open(Workload workload, List<PodFacts> members, Decision.Place place) {
        plans.open(workload.key(), place.placements(), place.victims());
        members.forEach(pod -> reasons.placed(pod, place.note()));
        views = null;
    }

    private boolean placeTogether(Workload workload, List<PodFacts> left, boolean complete) {
        boolean mayEvict = state.planner.preemption() && complete;
        Optional<TakeOver.Taken> taken = mayEvict ? takeOver.find(left) : Optional.empty();
        if (taken.isPresent()) {
            plans.take(workload.key(), taken.get());
            left.forEach(pod -> reasons.placed(pod, taken.get().place().note()));
            views = null;
            return true;
        }
        switch (ask(left, mayEvict)) {
            case Decision.Place place -> {
                open(workload, left, place);
                return true;
            }
            case Decision.NoRoom noRoom -> {
                if (complete || noRoom.lasting()) {
                    reasons.noRoom(left, noRoom);
                } else {
                    Reasons.Reason why =
                            new Reasons.Reason(Cause.SIZE_UNKNOWN, INCOMPLETE, noRoom.refusals());
                    left.forEach(pod -> reasons.note(pod, why));
                }
                return false;
            }
        }
    }

    private Decision ask(List<PodFacts> pods, boolean mayEvict) {
        if (views == null) {
            views = Views.all(state);
        }
        return Planner.decide(
                new Planner.Question(pods, views, state.planner, mayEvict, state.now));
    }

    private void claim(Placement placement) {
        Reservation reservation = new Reservation(
                placement.pod(), placement.shares(), placement.behind(), state.epoch, "");
        state.claims.put(placement.pod().uid(), new Claim(placement.node(), reservation, true));
        state.world++;
        if (!placement.behind().isEmpty()) {
            state.out.add(new Effect.Nominate(placement.pod(), placement.node()));
        }
        state.cluster
                .node(placement.node())
                .ifPresent(node -> views.put(node.name(), Views.of(state, node)));
        state.log("placed=" + placement.pod().namespacedName() + " node=" + placement.node());
    }

    /** When a missing node is not expected back any more, preemption may go on without it (C5). */
    private void expectNodes() {
        state.cluster.nodes().stream()
                .map(node -> Views.expected(state, node))
                .flatMap(Optional::stream)
                .forEach(state.out::wakeAt);
    }
}
