package dev.cede.coordinator.simulation;

import java.util.ArrayList;
import java.util.List;

/** What goes wrong in a run, drawn from its seed. After {@link #END} nothing does any more. */
final class Faults {
    /** When faults and the workload's changes stop, in milliseconds. */
    static final long END = 25_000;

    /** Faults that happen to one process at one time. */
    enum Kind {
        LEADER_CRASH,
        STANDBY_CRASH,
        LEADER_PAUSE,
        ZOOKEEPER_CUT,
        AGENT_CRASH,
        KUBELET_RESTART,
        STREAM_BREAK,
        WATCH_CUT
    }

    /** A drawn fault. */
    record Timed(long at, Kind kind) {}

    /**
     * Chances of one message or call.
     *
     * @param apiError an answer 409, 429 or 500 in place of the call
     * @param apiLost no answer; the call was carried out or not
     * @param zkLost no answer from ZooKeeper; the transaction was committed or not
     * @param doubled an order that arrives twice
     * @param slow a delay out of proportion
     * @param diskLost the agent dies around a checkpoint
     */
    record Rates(
            double apiError,
            double apiLost,
            double zkLost,
            double doubled,
            double slow,
            double diskLost) {
        static final Rates NONE = new Rates(0, 0, 0, 0, 0, 0);
    }

    private static final double BAD = 8;

    private final Timeline time;
    private final Rates rates;
    final List<Timed> timed;

    private Faults(Timeline time, Rates rates, List<Timed> timed) {
        this.time = time;
        this.rates = rates;
        this.timed = timed;
    }

    static Faults none(Timeline time) {
        return new Faults(time, Rates.NONE, List.of());
    }

    static Faults draw(Draws draws, Timeline time) {
        Rates rates = new Rates(
                rate(draws, 0.1),
                bad(rate(draws, 0.05), 0.04),
                rate(draws, 0.2),
                rate(draws, 0.2),
                rate(draws, 0.1),
                rate(draws, 0.01));
        List<Timed> timed = new ArrayList<>();
        int count = draws.chance(0.2) ? 0 : draws.count(1, 6);
        for (int i = 0; i < count; i++) {
            timed.add(new Timed(
                    draws.between(1_000, END - 1_000), draws.pick(List.of(Kind.values()))));
        }
        return new Faults(time, rates, timed);
    }

    /** Half of the runs are without a fault of a kind. */
    private static double rate(Draws draws, double most) {
        double rate = draws.between(0, 1_000) / 1_000.0 * most;
        return draws.chance(0.5) ? rate : 0;
    }

    /** In a few runs most of what goes wrong goes wrong in this way. */
    private static double bad(double rate, double from) {
        return rate > from ? BAD * rate : rate;
    }

    private boolean over() {
        return time.now() >= END;
    }

    Rates rates() {
        return over() ? Rates.NONE : rates;
    }

    /** How long a message takes. */
    long delay(Draws draws, long most, long slowest) {
        return draws.chance(rates().slow()) ? draws.between(most, slowest) : draws.skewed(1, most);
    }

    @Override
    public String toString() {
        return rates + " " + timed;
    }
}
