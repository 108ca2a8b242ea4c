package dev.cede.sandbox.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what must come. */
public final class Await {
    /** It only ends a test that has failed. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final Duration PAUSE = Duration.ofMillis(20);

    private Await() {}

    public static <T> T present(String what, Supplier<Optional<T>> look) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Optional<T> seen = look.get();
            if (seen.isPresent()) {
                return seen.get();
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not seen within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    public static void until(String what, BooleanSupplier look) {
        present(what, () -> look.getAsBoolean() ? Optional.of(true) : Optional.empty());
    }

    /** For as long as a scenario lasts: looks again and again. */
    public static void during(Duration length, Runnable look) {
        long end = System.nanoTime() + length.toNanos();
        while (System.nanoTime() < end) {
            look.run();
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
