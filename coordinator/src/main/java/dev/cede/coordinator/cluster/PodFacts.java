package dev.cede.coordinator.cluster;

import dev.cede.model.Epoch;
import dev.cede.model.PodRef;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod object as last seen.
 *
 * @param resourceVersion of the object these facts were read from
 * @param priority {@code spec.priority}; none means 0 (C1)
 * @param neverPreempts {@code preemptionPolicy: Never} (C3)
 * @param gated whether a scheduling gate is left
 * @param nodeName empty while not bound
 * @param nominatedNode empty when none
 * @param deletionTimestamp when the grace of a terminating pod ends; empty when it is not leaving
 * @param grace the pod's own termination grace
 * @param started when kubelet acknowledged it; empty before
 * @param owner the controlling owner
 * @param labels the pod's labels
 * @param annotations only those that rules speak of
 * @param containers in spec order, init containers first
 * @param requests effective requests of ordinary resources, as the standard scheduler computes
 *     them: cpu in milli, all others in their base unit; without our two resources
 * @param placement what restricts the choice of node
 * @param scheduledMessage message of the {@code PodScheduled=False} condition, empty when none
 * @param fence the term that voided all earlier calls for the pod; none when no term did
 * @param listsUnits whether its status has an entry for each unit of our resources (F6)
 */
public record PodFacts(
        PodRef ref,
        String resourceVersion,
        String schedulerName,
        int priority,
        String priorityClass,
        boolean neverPreempts,
        boolean gated,
        Optional<String> nodeName,
        Optional<String> nominatedNode,
        PodPhase phase,
        String statusReason,
        Instant created,
        Optional<Instant> deletionTimestamp,
        Duration grace,
        Optional<Instant> started,
        Optional<OwnerRef> owner,
        boolean mirror,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<ContainerFacts> containers,
        Map<String, Long> requests,
        NodeNeeds placement,
        String scheduledMessage,
        Epoch fence,
        boolean listsUnits) {

    public String uid() {
        return ref.uid();
    }

    /** Succeeded or Failed: kubelet gives its devices out again (E9). */
    public boolean finished() {
        return phase == PodPhase.SUCCEEDED || phase == PodPhase.FAILED;
    }

    public boolean terminating() {
        return deletionTimestamp.isPresent();
    }

    /** The explicit group that it names (E1). */
    public Optional<GroupRef> group() {
        return GroupRef.of(ref.namespace(), annotations, labels);
    }

    public boolean bound() {
        return nodeName.isPresent();
    }
}
