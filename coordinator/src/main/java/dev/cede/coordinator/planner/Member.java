package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Amount;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod of the workload that is planned.
 *
 * @param number its place in the question, from 1
 * @param whyNoEviction why nobody may be evicted for it, or empty
 */
record Member(int number, PodFacts pod, ShareAsk ask, Optional<String> whyNoEviction) {

    boolean mayEvict() {
        return whyNoEviction.isEmpty();
    }

    /** All that tells one member's search from another's. */
    Shape shape() {
        return new Shape(
                ask.amounts(), pod.requests(), pod.placement(), pod.priority(), mayEvict());
    }

    /** What the pod takes of a node beside cards. */
    Ordinary ordinary() {
        return Ordinary.of(pod);
    }

    int units() {
        return ask.amounts().stream().mapToInt(Amount::units).sum();
    }

    /** See {@link Member#shape()}. */
    record Shape(
            List<Amount> amounts,
            Map<String, Long> requests,
            NodeNeeds placement,
            int priority,
            boolean mayEvict) {}
}
