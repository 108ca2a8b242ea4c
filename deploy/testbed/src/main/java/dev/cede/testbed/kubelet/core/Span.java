package dev.cede.testbed.kubelet.core;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** A range of time out of which a delay is drawn; both ends belong to it. */
public record Span(Duration min, Duration max) {
    public Span {
        if (min.isNegative() || max.compareTo(min) < 0) {
            throw new IllegalArgumentException(
                    "span " + min + ".." + max + ": want 0 <= min <= max");
        }
    }

    public static Span millis(long min, long max) {
        return new Span(Duration.ofMillis(min), Duration.ofMillis(max));
    }

    public static Span exactly(Duration delay) {
        return new Span(delay, delay);
    }

    Duration draw(RandomGenerator random) {
        long extra = max.minus(min).toMillis();
        return min.plusMillis(extra == 0 ? 0 : random.nextLong(extra + 1));
    }
}
