package dev.cede.coordinator.simulation;

/** An invariant that does not hold. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(String invariant, String what) {
        super(invariant + ": " + what);
    }

    static void unless(boolean holds, String invariant, java.util.function.Supplier<String> what) {
        if (!holds) {
            throw new Violation(invariant, what.get());
        }
    }
}
