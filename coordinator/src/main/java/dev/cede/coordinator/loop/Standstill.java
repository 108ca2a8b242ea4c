package dev.cede.coordinator.loop;

/** Why a leader starts nothing at the moment. */
public enum Standstill {
    NONE,
    /** ZooKeeper is out of reach. */
    SUSPENDED,
    /** The first lists of the API server are not in. */
    NOT_SYNCED,
    /** A term above ours was met. */
    DEPOSED
}
