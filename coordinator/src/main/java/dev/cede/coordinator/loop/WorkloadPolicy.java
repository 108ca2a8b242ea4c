package dev.cede.coordinator.loop;

/** Which members of a workload start together (E1). An explicit group's minimum always does. */
public enum WorkloadPolicy {
    /** Members that fit without eviction start at once, the others all together. */
    ALL,
    /** All members start together, those that fit without eviction too. */
    STRICT,
    /** Each member for itself. */
    MIN_AVAILABLE
}
