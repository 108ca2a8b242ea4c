package dev.cede.coordinator.cluster;

/** {@code status.phase}. */
public enum PodPhase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED,
    UNKNOWN
}
