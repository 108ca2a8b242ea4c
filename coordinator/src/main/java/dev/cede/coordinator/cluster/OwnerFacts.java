package dev.cede.coordinator.cluster;

/**
 * How many pods an owner's spec asks for (E1).
 *
 * @param replicas what a ReplicaSet asks for; -1 where the kind does not say
 */
public record OwnerFacts(OwnerRef ref, String namespace, int replicas) {}
