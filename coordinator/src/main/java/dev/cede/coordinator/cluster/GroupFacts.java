package dev.cede.coordinator.cluster;

/**
 * A PodGroup object.
 *
 * @param minMember below so many members none is started (E1)
 */
public record GroupFacts(GroupRef ref, int minMember) {}
