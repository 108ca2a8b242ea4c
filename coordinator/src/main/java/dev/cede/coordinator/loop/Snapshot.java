package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision.Refusal;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;

import java.util.List;
import java.util.Optional;

/**
 * All that inspection may show, as of one event.
 *
 * @param nodes by name
 * @param pending pods of ours without a node, in queue order
 * @param plans open ones
 * @param pods every pod with shares that is not pending here, for explanations
 */
public record Snapshot(
        boolean leading,
        Epoch epoch,
        List<NodeState> nodes,
        List<Pending> pending,
        List<PlanState> plans,
        List<PodFacts> pods) {

    /** A node, and what its agent last said; empty when it never attached in this term. */
    public record NodeState(NodeView view, boolean attached, Optional<NodeReport> report) {}

    /** A pod that waits, and why. */
    public record Pending(
            PodFacts pod, ShareAsk ask, String reason, List<Refusal> refusals, String plan) {}

    /** An open plan, its step, and what it waits for. */
    public record PlanState(
            SavedPlan plan, String step, String reason, List<VictimState> victims) {}

    /** How far a victim is. */
    public record VictimState(PodRef pod, String state) {}
}
