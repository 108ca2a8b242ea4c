package dev.cede.coordinator.cluster;

/** The controlling owner of a pod. */
public record OwnerRef(String kind, String name, String uid) {}
