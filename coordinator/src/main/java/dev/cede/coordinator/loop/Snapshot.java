package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision.Refusal;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * All that inspection may show, as of one event.
 *
 * @param schedulerNames pods that carry one of these are ours (A7)
 * @param nodes by name
 * @param pending pods of ours without a node, in queue order
 * @param places of pods that kubelet has not served yet
 * @param plans open ones
 * @param releases of shares whose pods leave, are over or are gone
 * @param pods all other pods, for explanations
 */
public record Snapshot(
        boolean leading,
        Epoch epoch,
        Standstill standstill,
        SortedSet<String> schedulerNames,
        List<NodeState> nodes,
        List<Pending> pending,
        List<Place> places,
        List<PlanState> plans,
        List<Release> releases,
        List<OtherPod> pods) {

    /** Of a coordinator that knows nothing of the cluster. */
    public static Snapshot empty(boolean leading, Epoch epoch) {
        return new Snapshot(
                leading,
                epoch,
                Standstill.NONE,
                new TreeSet<>(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    /** A node, and what its agent last said; empty when it never attached in this term. */
    public record NodeState(NodeView view, boolean attached, Optional<NodeReport> report) {}

    /**
     * A pod that waits, and why.
     *
     * @param heldBack until when its workload is not tried again after a failed effect (E12)
     */
    public record Pending(
            PodFacts pod,
            ShareAsk ask,
            Cause cause,
            String reason,
            List<Refusal> refusals,
            String plan,
            Optional<Instant> heldBack) {}

    /** What a reason is about. */
    public enum Cause {
        /** No decision was made, or it has a place; the reason is a note on that, if any. */
        NONE,
        /** It can never be placed as it is written (A12). */
        REFUSED,
        NO_ROOM,
        /** Others of its workload may be still to come, and preemption waits for them (E1). */
        SIZE_UNKNOWN,
        /** Its workload is not there in the number that it starts with (E1). */
        TOO_FEW,
        /** Its workload starts with others first (E1). */
        OTHERS_FIRST,
        /** Another scheduler uses its schedulerName (A7). */
        TWO_SCHEDULERS,
        /** Shares that leave stand in its place. */
        WAITS
    }

    /**
     * A place that is a pod's, or is to become so.
     *
     * @param plan empty when it needed none
     * @param reserved whether the agent has it on disk, in this term
     */
    public record Place(
            PodRef pod, String node, String plan, boolean reserved, Progress progress) {}

    /**
     * An open plan.
     *
     * @param reason what it waits for, or why it is given up
     * @param lost members whose places wait for pods that replace them (E14)
     */
    public record PlanState(
            SavedPlan plan, Step step, String reason, List<VictimState> victims, List<Lost> lost) {}

    /** How far a victim is. */
    public record VictimState(SavedPlan.PlannedVictim victim, Stage stage) {}

    public enum Stage {
        PLANNED,
        /** The eviction was sent, and is not answered. */
        ASKED,
        RELEASING,
        FREE
    }

    /** A member that was lost before it started; its place is kept until then. */
    public record Lost(PodRef pod, Instant until) {}

    /**
     * Shares of a pod that are to be measured free (E9).
     *
     * @param letGo whether kubelet would give the devices out again
     * @param deadline when it is overdue; empty while nobody watches it
     */
    public record Release(
            PodRef pod, String node, boolean letGo, Optional<Instant> deadline, boolean overdue) {}

    /** A pod that is not pending here, and whether it asks for shares. */
    public record OtherPod(PodFacts pod, boolean asks) {}
}
