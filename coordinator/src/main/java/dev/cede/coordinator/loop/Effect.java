package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What a coordinator wants done. The shell runs them in order of arrival and reports back. */
public sealed interface Effect {
    /** One transaction: the epoch is ours, and no plan of this id exists. */
    record SavePlan(SavedPlan plan) implements Effect {}

    /**
     * One transaction: the epoch is ours, the old plans are removed, and the one that takes their
     * place is created (E8, E13).
     */
    record ReplacePlan(List<String> old, String reason, SavedPlan successor) implements Effect {
        public ReplacePlan {
            old = List.copyOf(old);
        }
    }

    /** One transaction: the epoch is ours, the plan is removed with its reason logged. */
    record ClosePlan(String plan, String reason) implements Effect {}

    /** Gives leadership up; if it is won again, the term's epoch is above the one that was met. */
    record StepDown(Epoch term, Epoch met) implements Effect {}

    /** To one stream of one node; dropped when that stream is gone. */
    record Send(String node, long stream, Epoch epoch, String orderId, Order order)
            implements Effect {}

    /** Binding with the pod's UID and resourceVersion as preconditions. */
    record Bind(PodFacts pod, String node, Map<String, String> annotations) implements Effect {}

    /** Sets {@code status.nominatedNodeName}; empty clears it. */
    record Nominate(PodRef pod, String node) implements Effect {}

    /** {@code PodScheduled=False}, and an event of the same words; only called when it changes. */
    record ReportPending(PodRef pod, String reason, String message) implements Effect {}

    /**
     * Condition {@code DisruptionTarget}, event {@code Preempted}, then DELETE with UID and
     * resourceVersion and the pod's own grace (E10).
     */
    record Evict(PodFacts victim, String plan, String message) implements Effect {}

    /**
     * Event {@code RolledBack}, then DELETE with UID and resourceVersion and the pod's own grace;
     * answered like an eviction (E14).
     */
    record RollBack(PodFacts member, String message) implements Effect {}

    /**
     * Writes the term into a condition of the pod, with UID and resourceVersion as preconditions:
     * whatever was sent for the pod before cannot succeed after that.
     */
    record Fence(PodFacts pod, Epoch epoch) implements Effect {}

    /** Reads a pod past all caches (E9). */
    record ReadPod(PodRef pod) implements Effect {}

    /** The same of a pod of which only UID and node are known. */
    record FindPod(PodRef pod, String node) implements Effect {}

    /** An event on a pod. */
    record Announce(PodRef pod, boolean warning, String reason, String message) implements Effect {}

    /** A warning on a node. */
    record AnnounceNode(String node, String uid, String reason, String message) implements Effect {}

    /** Writes a Volcano PodGroup's phase, with its version as precondition. */
    record MoveGroup(GroupFacts group, String phase) implements Effect {}

    /** A {@link Event.Tick} at that time; a later one replaces it only if it is earlier. */
    record WakeAt(Instant time) implements Effect {}

    /** One line of the decision log: key=value. */
    record Log(String line) implements Effect {}
}
