package dev.cede.coordinator.simulation;

import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.model.Epoch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** ZooKeeper as far as Cede uses it: the latch, the epoch, the plans, and sessions that expire. */
final class Zookeeper {
    /** A session whose client is silent for longer is over. */
    static final long SESSION = 4_000;

    /** What a transaction has shown, as the plan store tells it. */
    enum Outcome {
        DONE,
        NOT_DONE,
        NOT_OURS,
        UNANSWERED
    }

    /** A client's session; it stands in the latch until it is over. */
    static final class Session {
        private final Contender client;
        private boolean expired;
        private boolean silent;
        private long silences;

        private Session(Contender client) {
            this.client = client;
        }

        boolean isExpired() {
            return expired;
        }
    }

    /** A term as it checks itself in each transaction. */
    record Term(Epoch epoch, Session latch) {}

    private final Timeline time;
    private final Tally tally;
    private final List<Session> latch = new ArrayList<>();
    private final TreeMap<String, SavedPlan> plans = new TreeMap<>();
    private final Map<String, SavedPlan> everSaved = new HashMap<>();
    private Epoch epoch = Epoch.NONE;
    private String leader = "";

    Zookeeper(Timeline time, Tally tally) {
        this.time = time;
        this.tally = tally;
    }

    Session connect(Contender client) {
        Session session = new Session(client);
        latch.add(session);
        elect();
        return session;
    }

    /** The client is not heard of any more, until {@link #heard}. */
    void silent(Session session) {
        if (session.silent) {
            return;
        }
        session.silent = true;
        long silence = ++session.silences;
        time.after(SESSION, () -> {
            if (session.silent && session.silences == silence) {
                expire(session);
            }
        });
    }

    void heard(Session session) {
        session.silent = false;
    }

    /** Also for a client that leaves the latch by itself. */
    void expire(Session session) {
        session.expired = true;
        if (latch.remove(session)) {
            elect();
        }
    }

    private void elect() {
        if (!latch.isEmpty()) {
            Session first = latch.getFirst();
            first.client.latchWon(first);
        }
    }

    boolean isFirst(Session session) {
        return !latch.isEmpty() && latch.getFirst() == session;
    }

    Term beginTerm(Session session, String address) {
        epoch = new Epoch(epoch.value() + 1);
        leader = address;
        tally.count(epoch.value() == 1 ? "runs" : "fail-overs");
        return new Term(epoch, session);
    }

    boolean isOurs(Term term) {
        return term.epoch().equals(epoch) && latch.contains(term.latch());
    }

    Outcome commit(Term term, List<String> removed, Optional<SavedPlan> created) {
        if (!isOurs(term)) {
            tally.count("saves of an old term refused");
            return Outcome.NOT_OURS;
        }
        boolean possible = plans.keySet().containsAll(removed)
                && created.filter(plan -> plans.containsKey(plan.id())).isEmpty();
        if (!possible) {
            return Outcome.NOT_DONE;
        }
        removed.forEach(plans::remove);
        created.ifPresent(this::save);
        return Outcome.DONE;
    }

    private void save(SavedPlan plan) {
        plans.put(plan.id(), plan);
        everSaved.put(plan.id(), plan);
        tally.count("plans saved");
        if (!plan.victims().isEmpty()) {
            tally.count("preemptions");
        }
        if (plan.placements().size() > 1) {
            tally.count("gangs");
        }
    }

    boolean has(SavedPlan plan) {
        return plan.equals(plans.get(plan.id()));
    }

    Optional<SavedPlan> everSaved(String plan) {
        return Optional.ofNullable(everSaved.get(plan));
    }

    List<SavedPlan> open() {
        return List.copyOf(plans.values());
    }

    String leader() {
        return leader;
    }

    Epoch epoch() {
        return epoch;
    }
}
