package dev.cede.coordinator.planner;

import dev.cede.ledger.Load;
import dev.cede.model.CardId;

import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;

/**
 * How much is missing for a pod on some cards of a node: units, core and number of shares of each
 * card, then the ordinary resources it asks for, in fixed order. Zero is nothing.
 */
final class Need {
    private static final int PER_CARD = 3;

    private final SortedMap<CardId, Demand> demands;
    private final Ordinary asked;
    private final long[] missing;

    private Need(SortedMap<CardId, Demand> demands, Ordinary asked, long[] missing) {
        this.demands = demands;
        this.asked = asked;
        this.missing = missing;
    }

    static Need of(NodeState node, SortedMap<CardId, Demand> demands, Ordinary asked) {
        long[] missing = new long[demands.size() * PER_CARD + asked.amounts().size()];
        int at = 0;
        for (Map.Entry<CardId, Demand> each : demands.entrySet()) {
            Load excess = node.card(each.getKey()).excess(each.getValue().load());
            at = write(excess, missing, at);
        }
        for (Map.Entry<String, Long> each : asked.amounts().entrySet()) {
            long ask = each.getValue();
            missing[at++] = ask == 0 ? 0 : Math.max(0, ask - node.left().of(each.getKey()));
        }
        return new Need(demands, asked, missing);
    }

    private static int write(Load load, long[] to, int at) {
        to[at] = load.units();
        to[at + 1] = load.core();
        to[at + 2] = load.shares();
        return at + PER_CARD;
    }

    boolean isMet() {
        return Arrays.stream(missing).allMatch(each -> each <= 0);
    }

    /** What is missing once this one is gone. */
    Need without(Resident resident) {
        long[] given = gives(resident);
        long[] left = new long[missing.length];
        for (int i = 0; i < left.length; i++) {
            left[i] = missing[i] - given[i];
        }
        return new Need(demands, asked, left);
    }

    /** What this one would give of what is missing, never more than is missing. */
    long[] gives(Resident resident) {
        long[] given = new long[missing.length];
        int at = 0;
        for (CardId card : demands.keySet()) {
            at = write(resident.on(card), given, at);
        }
        Ordinary ordinary = Ordinary.of(resident.pod());
        for (String resource : asked.amounts().keySet()) {
            given[at++] = ordinary.of(resource);
        }
        for (int i = 0; i < given.length; i++) {
            given[i] = Math.min(given[i], missing[i]);
        }
        return given;
    }

    long[] missing() {
        return missing.clone();
    }
}
