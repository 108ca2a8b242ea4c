package dev.cede.coordinator.simulation;

/** Faults that wait for something the product does not have yet; each is off until it does. */
final class Gaps {
    /**
     * Bindings and DELETEs of a term that is over, and those carried out after their time-out: waits
     * for fencing at the API server.
     */
    static final boolean LATE_CALLS = Boolean.getBoolean("simulation.late-calls");

    private Gaps() {}
}
