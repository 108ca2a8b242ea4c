package dev.cede.coordinator.cluster;

import java.util.List;
import java.util.Map;

/**
 * A node object as last seen.
 *
 * @param allocatable cpu in milli, all others in their base unit
 * @param listsShares whether its allocatable names our memory resource, with any amount
 */
public record NodeFacts(
        String name,
        String uid,
        boolean unschedulable,
        boolean ready,
        Map<String, String> labels,
        List<Taint> taints,
        Map<String, Long> allocatable,
        boolean listsShares) {}
