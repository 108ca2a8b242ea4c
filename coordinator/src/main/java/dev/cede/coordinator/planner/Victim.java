package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;

/**
 * A pod that has to leave.
 *
 * @param reason one sentence: why this one
 */
public record Victim(PodFacts pod, String node, String reason) {}
