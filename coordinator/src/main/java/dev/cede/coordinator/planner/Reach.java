package dev.cede.coordinator.planner;

/** What may be counted as gone for one pod. */
enum Reach {
    /** Nothing: it starts as things are. */
    FREE,
    /** Pods that leave within the configured wait (C5). */
    SOON,
    /** Pods that leave, and lower pods by eviction. */
    EVICT,
    /** Pods that leave, however long that takes. */
    LATE
}
