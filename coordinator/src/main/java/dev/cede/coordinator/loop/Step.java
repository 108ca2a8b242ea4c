package dev.cede.coordinator.loop;

/** The steps of a plan, in order; see the state machine in ARCHITECTURE.md. */
public enum Step {
    /** Decided; ZooKeeper has not answered yet. */
    PLANNED,
    /** Saved; agents are asked to hold. */
    SAVED,
    EVICTING,
    RELEASING,
    BINDING,
    /** A group below its minimum: the members that were bound are deleted (E14). */
    ROLLING_BACK,
    /** It cannot be finished; what was sent for it is made void, then it is closed. */
    ABANDONING
}
