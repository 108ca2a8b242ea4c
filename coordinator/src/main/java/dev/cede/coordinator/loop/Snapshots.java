package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.Cause;
import dev.cede.coordinator.loop.Snapshot.Lost;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.OtherPod;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.Place;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.Release;
import dev.cede.coordinator.loop.Snapshot.Stage;
import dev.cede.coordinator.loop.Snapshot.VictimState;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.model.PodRef;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Takes the picture that inspection shows. */
final class Snapshots {
    private static final Comparator<PodFacts> QUEUE = Comparator.comparingInt(PodFacts::priority)
            .reversed()
            .thenComparing(PodFacts::created)
            .thenComparing(PodFacts::ref);

    private final LoopState state;
    private final Reasons reasons;
    private final Binder binder;
    private final Releases releases;

    Snapshots(LoopState state, Reasons reasons, Binder binder, Releases releases) {
        this.state = state;
        this.reasons = reasons;
        this.binder = binder;
        this.releases = releases;
    }

    Snapshot take() {
        return new Snapshot(
                state.leading,
                state.epoch,
                state.standstill(),
                state.settings.schedulerNames().names(),
                state.cluster.nodes().stream().map(this::node).toList(),
                pods(true).sorted(QUEUE).map(this::pending).toList(),
                state.claims.values().stream().map(this::place).toList(),
                state.plans.values().stream().map(this::plan).toList(),
                releases(),
                pods(false).map(pod -> new OtherPod(pod, ShareAsk.asks(pod))).toList());
    }

    private NodeState node(NodeFacts node) {
        Optional<AgentState> agent = state.agent(node.name());
        return new NodeState(
                Views.of(state, node),
                agent.filter(AgentState::attached).isPresent(),
                agent.map(AgentState::report));
    }

    private Stream<PodFacts> pods(boolean waiting) {
        return state.cluster.pods().stream()
                .filter(pod -> (state.ours(pod) && !pod.bound() && !pod.finished()) == waiting);
    }

    private Pending pending(PodFacts pod) {
        Reasons.Reason reason = reason(pod);
        Optional<Claim> claim = Optional.ofNullable(state.claims.get(pod.uid()));
        boolean waited = reason.cause() == Cause.WAITS;
        return new Pending(
                pod,
                ask(pod),
                reason.cause(),
                waited ? claim.map(c -> Waiting.of(state, c)).orElse("") : reason.sentence(),
                reason.refusals(),
                claim.map(Claim::plan).orElse(""),
                Optional.of(state.backoff.until(Workloads.key(state, pod.ref())))
                        .filter(until -> until.isAfter(state.now)));
    }

    private Reasons.Reason reason(PodFacts pod) {
        String name = pod.schedulerName();
        PodRef bound = state.rivals.get(name);
        return bound == null || state.claims.containsKey(pod.uid())
                ? reasons.of(pod.uid())
                : new Reasons.Reason(Cause.TWO_SCHEDULERS, Rivals.sentence(name, bound), List.of());
    }

    private ShareAsk ask(PodFacts pod) {
        return ShareAsk.of(pod, state.planner.coreStep()) instanceof ShareAsk.Valid valid
                ? valid.ask()
                : ShareAsk.NONE;
    }

    private Place place(Claim claim) {
        return new Place(
                claim.pod(),
                claim.node(),
                claim.plan(),
                claim.acknowledged(),
                binder.progress(claim));
    }

    private PlanState plan(OpenPlan plan) {
        List<VictimState> victims = plan.plan().victims().stream()
                .map(victim -> new VictimState(victim, stage(plan, victim)))
                .toList();
        return new PlanState(plan.plan(), plan.step(), why(plan), victims, lost(plan));
    }

    private String why(OpenPlan plan) {
        return plan.step() == Step.ABANDONING
                ? plan.abandonedFor()
                : state.claimsOf(plan).stream()
                        .map(claim -> Waiting.of(state, claim))
                        .filter(sentence -> !sentence.isEmpty())
                        .distinct()
                        .collect(Collectors.joining("; "));
    }

    private Stage stage(OpenPlan plan, SavedPlan.PlannedVictim victim) {
        String uid = victim.pod().uid();
        if (plan.isEvicted(uid)) {
            return state.hasShares(victim.node(), uid) ? Stage.RELEASING : Stage.FREE;
        }
        return plan.isAsked(uid) ? Stage.ASKED : Stage.PLANNED;
    }

    private List<Lost> lost(OpenPlan plan) {
        return plan.plan().placements().stream()
                .map(Placement::pod)
                .filter(pod -> plan.isReplaceable(pod.uid()))
                .map(pod ->
                        new Lost(pod, plan.lostSince(pod.uid()).plus(state.settings.handOver())))
                .toList();
    }

    private List<Release> releases() {
        return state.agents.entrySet().stream()
                .flatMap(agent -> Releases.podsWithShares(agent.getValue()).stream()
                        .filter(pod -> Views.leaving(state, pod.uid()))
                        .map(pod -> release(agent.getKey(), pod)))
                .toList();
    }

    private Release release(String node, PodRef pod) {
        return new Release(
                pod,
                node,
                releases.isOver(pod),
                Optional.ofNullable(state.overdue.get(pod.uid())),
                Views.isOverdue(state, pod.uid()));
    }
}
