package dev.cede.coordinator.simulation;

import java.util.Map;
import java.util.TreeMap;

/** What runs contained. */
final class Tally {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    synchronized void add(Tally other) {
        other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
    }

    long of(String what) {
        return counts.getOrDefault(what, 0L);
    }

    synchronized String table() {
        StringBuilder table = new StringBuilder();
        counts.forEach((what, count) -> table.append("%12d  %s%n".formatted(count, what)));
        return table.toString();
    }
}
