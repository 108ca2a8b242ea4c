package dev.cede.coordinator.simulation;

/**
 * What came of one seed.
 *
 * @param failure empty when all invariants held
 * @param trace empty unless it was asked for
 */
record Run(long seed, String faults, String failure, String trace, Tally tally) {
    static Run of(long seed, Bug bug, boolean tracing) {
        World world = new World(seed, bug, tracing);
        String failure = "";
        try {
            world.run();
        } catch (Violation violation) {
            failure = violation.getMessage();
        } catch (RuntimeException e) {
            StackTraceElement[] at = e.getStackTrace();
            failure = "bug: " + e + (at.length > 0 ? " at " + at[0] : "");
            if (tracing) {
                e.printStackTrace();
            }
        }
        return new Run(seed, world.faults.toString(), failure, world.time.traced(), world.tally);
    }

    /** One line that says what failed, and how to see it again. */
    String line() {
        return "-Dsimulation.seed=" + seed + " at fault " + failure;
    }
}
