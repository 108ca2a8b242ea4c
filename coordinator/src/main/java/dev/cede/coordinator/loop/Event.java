package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.PlannerSettings;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;

import java.util.List;
import java.util.Optional;

/** What can happen to a coordinator. */
public sealed interface Event {
    /** This process leads, in a term of its own; these plans were saved and not closed. */
    record LeadershipGained(Epoch epoch, List<SavedPlan> open) implements Event {}

    /** ZooKeeper is out of reach: start nothing until it is back and still ours. */
    record LeadershipSuspended() implements Event {}

    /** ZooKeeper is back, and latch and epoch are still ours. */
    record LeadershipResumed() implements Event {}

    record LeadershipLost(String leader) implements Event {}

    /** The first lists of pods, nodes and owners are in. */
    record CachesSynced() implements Event {}

    record PodSeen(PodFacts pod) implements Event {}

    /** The watch says that the object is gone. */
    record PodGone(PodRef pod) implements Event {}

    record NodeSeen(NodeFacts node) implements Event {}

    record NodeGone(String node) implements Event {}

    record OwnerSeen(OwnerFacts owner) implements Event {}

    record OwnerGone(String uid) implements Event {}

    record GroupSeen(GroupFacts group) implements Event {}

    record GroupGone(GroupRef group) implements Event {}

    record GroupNotMoved(GroupRef group, ApiFailure failure) implements Event {}

    /** The first report on a stream, and each later one. */
    record AgentReported(String node, long stream, NodeReport report) implements Event {}

    record AgentDetached(String node, long stream) implements Event {}

    record OrderAnswered(String node, long stream, OrderResult result) implements Event {}

    record AllocationRefused(String node, Optional<PodRef> pod, String reason) implements Event {}

    record PlanSaved(String plan) implements Event {}

    /** It is certain that the plan was not saved. */
    record PlanNotSaved(String plan, String reason) implements Event {}

    record PlanClosed(String plan) implements Event {}

    /** A Binding was accepted. */
    record Bound(PodRef pod, String node) implements Event {}

    record BindFailed(PodRef pod, String node, ApiFailure failure) implements Event {}

    /** The DELETE was accepted, or the pod was already gone. */
    record Evicted(PodRef victim) implements Event {}

    record EvictFailed(PodRef victim, ApiFailure failure) implements Event {}

    /** A read past all caches; empty when there is no object of that UID. */
    record PodRead(PodRef asked, Optional<PodFacts> found) implements Event {}

    record PodReadFailed(PodRef asked, ApiFailure failure) implements Event {}

    /** Calls sent for the pod before cannot succeed any more; the pod as that made it. */
    record Fenced(PodFacts pod) implements Event {}

    record FenceFailed(PodRef pod, ApiFailure failure) implements Event {}

    record SettingsChanged(PlannerSettings settings) implements Event {}

    /** The time asked for by {@link Effect.WakeAt}, or a later one. */
    record Tick() implements Event {}
}
