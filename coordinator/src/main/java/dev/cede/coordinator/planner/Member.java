package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.PodFacts;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod of the workload that is planned.
 *
 * @param number its place in the question, from 1
 * @param parts of the ask, see {@link ShareAsk#parts}
 * @param whyNoEviction why nobody may be evicted for it, or empty
 */
record Member(
        int number,
        PodFacts pod,
        ShareAsk ask,
        List<Demand> parts,
        Optional<String> whyNoEviction) {

    boolean mayEvict() {
        return whyNoEviction.isEmpty();
    }

    /** All that tells one member's search from another's. */
    Shape shape() {
        return new Shape(parts, pod.requests(), pod.placement(), pod.priority(), mayEvict());
    }

    /** What the pod takes of a node beside cards. */
    Ordinary ordinary() {
        return Ordinary.of(pod);
    }

    int units() {
        return parts.stream().mapToInt(part -> part.load().units()).sum();
    }

    /** See {@link Member#shape()}. */
    record Shape(
            List<Demand> parts,
            Map<String, Long> requests,
            NodeNeeds placement,
            int priority,
            boolean mayEvict) {}
}
