package dev.cede.sandbox.play;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What came of an eviction.
 *
 * @param victim the pod's name
 * @param moments times since the start of the run; what was not seen is absent
 */
public record Eviction(String victim, SortedMap<Moment, Duration> moments) {
    /** In the order in which they should come. */
    public enum Moment {
        LEAVING("deletion begun"),
        EXITED("its last process ended"),
        FINAL("final phase written"),
        FREE("share measured free"),
        BOUND("winner bound"),
        RUNNING("winner running");

        private final String words;

        Moment(String words) {
            this.words = words;
        }
    }

    public Eviction {
        moments = Collections.unmodifiableSortedMap(new TreeMap<>(moments));
    }

    /** Whether each moment was seen. */
    public boolean isWhole() {
        return moments.size() == Moment.values().length;
    }

    /** Milliseconds from one moment to another; empty if one of them was not seen. */
    public Optional<Long> millis(Moment from, Moment to) {
        return moments.containsKey(from) && moments.containsKey(to)
                ? Optional.of(moments.get(to).minus(moments.get(from)).toMillis())
                : Optional.empty();
    }

    /** A few lines for a person. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Eviction of " + victim + ", ms since its deletion was seen:");
        for (Moment moment : moments.keySet()) {
            millis(Moment.LEAVING, moment)
                    .ifPresent(ms -> lines.add("  %6d  %s".formatted(ms, moment.words)));
        }
        return lines;
    }
}
