package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.NodeView.PodOnNode;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Amounts of ordinary resources: cpu in milli, all others in their base unit, pods counted as a
 * resource of their own.
 */
record Ordinary(SortedMap<String, Long> amounts) {
    /** Kubernetes' name for pod slots. */
    static final String PODS = "pods";

    static final Ordinary NONE = new Ordinary(new TreeMap<>());

    Ordinary {
        amounts = Collections.unmodifiableSortedMap(amounts);
    }

    /** What a pod takes; one that is over takes nothing. */
    static Ordinary of(PodFacts pod) {
        if (pod.finished()) {
            return NONE;
        }
        SortedMap<String, Long> amounts = new TreeMap<>(pod.requests());
        amounts.put(PODS, 1L);
        return new Ordinary(amounts);
    }

    /** What a node has left; a node that does not say how many pods it takes takes any number. */
    static Ordinary leftOn(NodeView node) {
        SortedMap<String, Long> allocatable = new TreeMap<>(node.facts().allocatable());
        allocatable.putIfAbsent(PODS, (long) Integer.MAX_VALUE);
        Ordinary left = new Ordinary(allocatable);
        for (PodOnNode there : node.pods()) {
            left = left.minus(of(there.pod()));
        }
        return left;
    }

    long of(String resource) {
        return amounts.getOrDefault(resource, 0L);
    }

    Ordinary plus(Ordinary other) {
        return combined(other, 1);
    }

    Ordinary minus(Ordinary other) {
        return combined(other, -1);
    }

    private Ordinary combined(Ordinary other, int sign) {
        SortedMap<String, Long> sum = new TreeMap<>(amounts);
        for (Map.Entry<String, Long> each : other.amounts.entrySet()) {
            sum.merge(each.getKey(), sign * each.getValue(), Long::sum);
        }
        return new Ordinary(sum);
    }
}
