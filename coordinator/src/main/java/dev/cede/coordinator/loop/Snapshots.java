package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.VictimState;
import dev.cede.coordinator.planner.ShareAsk;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Takes the picture that inspection shows. */
final class Snapshots {
    private final LoopState state;
    private final Reasons reasons;

    Snapshots(LoopState state, Reasons reasons) {
        this.state = state;
        this.reasons = reasons;
    }

    Snapshot take() {
        return new Snapshot(
                state.leading,
                state.epoch,
                state.cluster.nodes().stream().map(this::node).toList(),
                pods(true).stream().map(this::pending).toList(),
                state.plans.values().stream().map(this::plan).toList(),
                pods(false));
    }

    private NodeState node(NodeFacts node) {
        Optional<AgentState> agent = state.agent(node.name());
        return new NodeState(
                Views.of(state, node),
                agent.filter(AgentState::attached).isPresent(),
                agent.map(AgentState::report));
    }

    private List<PodFacts> pods(boolean waiting) {
        return state.cluster.pods().stream()
                .filter(pod -> (state.ours(pod) && !pod.bound() && !pod.finished()) == waiting)
                .filter(pod -> waiting || !ask(pod).containers().isEmpty())
                .sorted(QUEUE)
                .toList();
    }

    private static final Comparator<PodFacts> QUEUE = Comparator.comparingInt(PodFacts::priority)
            .reversed()
            .thenComparing(PodFacts::created)
            .thenComparing(PodFacts::ref);

    private Pending pending(PodFacts pod) {
        Reasons.Reason reason = reasons.of(pod.uid());
        Claim claim = state.claims.get(pod.uid());
        return new Pending(
                pod,
                ask(pod),
                reason.sentence(),
                reason.refusals(),
                claim == null ? "" : claim.plan());
    }

    private ShareAsk ask(PodFacts pod) {
        return ShareAsk.of(pod, state.planner.coreStep()) instanceof ShareAsk.Valid valid
                ? valid.ask()
                : ShareAsk.NONE;
    }

    private PlanState plan(OpenPlan plan) {
        String waits = state.claimsOf(plan).stream()
                .map(claim -> Waiting.of(state, claim))
                .filter(sentence -> !sentence.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
        List<VictimState> victims = plan.plan().victims().stream()
                .map(victim -> new VictimState(victim.pod(), victimState(plan, victim)))
                .toList();
        return new PlanState(plan.plan(), plan.step().name(), waits, victims);
    }

    private String victimState(OpenPlan plan, SavedPlan.PlannedVictim victim) {
        String uid = victim.pod().uid();
        if (!plan.isEvicted(uid)) {
            return "PLANNED";
        }
        return state.hasShares(victim.node(), uid) ? "RELEASING" : "FREE";
    }
}
