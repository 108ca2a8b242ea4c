package dev.cede.coordinator.simulation;

import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.simulation.Zookeeper.Outcome;
import dev.cede.coordinator.simulation.Zookeeper.Session;
import dev.cede.coordinator.simulation.Zookeeper.Term;
import dev.cede.model.Epoch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A coordinator's side of ZooKeeper: its session, its term, the gate, and plans one by one. */
final class Contender {
    private static final long MOST_DELAY = 10;
    private static final long SLOWEST = 800;
    private static final long PAUSE = 250;
    private static final long NONE = 0;

    private final String address;
    private final Zookeeper zookeeper;
    private final SimulatedProcess process;
    private final EventSink sink;
    private final Faults faults;
    private final Draws draws;
    private final Queue<Consumer<Runnable>> planWork = new ArrayDeque<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private Session session;
    private Optional<Term> term = Optional.empty();
    private boolean planBusy;
    private boolean connected = true;
    private long gate = NONE;
    private boolean suspended;
    private boolean beginning;

    Contender(
            String address,
            Zookeeper zookeeper,
            SimulatedProcess process,
            EventSink sink,
            Faults faults,
            Draws draws) {
        this.address = address;
        this.zookeeper = zookeeper;
        this.process = process;
        this.sink = sink;
        this.faults = faults;
        this.draws = draws;
    }

    void start() {
        session = zookeeper.connect(this);
    }

    Session session() {
        return session;
    }

    String leader() {
        return term.isEmpty() && zookeeper.leader().equals(address) ? "" : zookeeper.leader();
    }

    boolean leads() {
        return term.isPresent();
    }

    /** Whether it leads, and nobody else does by now. */
    boolean isOurs() {
        return term.filter(zookeeper::isOurs).isPresent();
    }

    void latchWon(Session won) {
        process.after(draws.between(5, 100), () -> beginTerm(won));
    }

    private void beginTerm(Session won) {
        if (won != session
                || won.isExpired()
                || !zookeeper.isFirst(won)
                || term.isPresent()
                || beginning) {
            return;
        }
        if (!connected) {
            process.after(PAUSE, () -> beginTerm(won));
            return;
        }
        beginning = true;
        Term begun = zookeeper.beginTerm(won, address);
        process.after(draws.between(1, 30), () -> begin(begun));
    }

    private void begin(Term begun) {
        beginning = false;
        List<SavedPlan> open = zookeeper.open();
        gate = begun.epoch().value();
        suspended = false;
        term = Optional.of(begun);
        sink.post(new Event.LeadershipGained(begun.epoch(), open));
        if (!connected) {
            suspend();
        }
    }

    /** The connection breaks, and stands again after that time. */
    void cut(long duration) {
        if (!connected) {
            return;
        }
        connected = false;
        Session cut = session;
        zookeeper.silent(cut);
        suspend();
        if (duration > Zookeeper.SESSION) {
            process.after(Zookeeper.SESSION + draws.between(0, 500), () -> lost(cut));
        }
        process.after(duration, () -> {
            connected = true;
            zookeeper.heard(session);
            backAgain(session);
        });
    }

    private void suspend() {
        suspended = true;
        if (term.isPresent()) {
            sink.post(new Event.LeadershipSuspended());
        }
    }

    private void backAgain(Session now) {
        if (now.isExpired()) {
            lost(now);
            session = zookeeper.connect(this);
        } else {
            process.after(draws.between(1, 50), this::resume);
        }
    }

    private void resume() {
        if (!connected) {
            return;
        }
        suspended = false;
        if (term.isPresent() && !zookeeper.isOurs(term.get())) {
            stepDown();
        } else if (term.isPresent()) {
            sink.post(new Event.LeadershipResumed());
        }
        release();
    }

    private void lost(Session gone) {
        if (gone == session) {
            endTerm();
        }
    }

    /** A process that stood still learns a moment after it goes on what has become of its session. */
    void wake() {
        if (session.isExpired()) {
            Session gone = session;
            process.after(draws.between(0, 400), () -> {
                if (gone == session && connected) {
                    backAgain(gone);
                }
            });
        } else if (connected) {
            zookeeper.heard(session);
        }
    }

    private void endTerm() {
        closeGate();
        if (term.isPresent()) {
            term = Optional.empty();
            sink.post(new Event.LeadershipLost(leader()));
        }
    }

    private void closeGate() {
        gate = NONE;
        suspended = false;
        release();
    }

    private void release() {
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(Runnable::run);
    }

    void stepDown(Epoch of) {
        process.after(draws.between(0, 20), () -> {
            if (term.filter(lasting -> lasting.epoch().equals(of)).isPresent()) {
                stepDown();
            }
        });
    }

    /** Ends the term by own judgement and stands again at the end of the queue. */
    private void stepDown() {
        endTerm();
        zookeeper.expire(session);
        session = zookeeper.connect(this);
    }

    private boolean lasts(long epoch) {
        return epoch != NONE && epoch == gate;
    }

    /** Runs one of the two: at once, or when a suspended term goes on or ends. */
    void whenDecided(long epoch, Runnable mayStart, Runnable over) {
        if (lasts(epoch) && suspended) {
            waiting.add(() -> whenDecided(epoch, mayStart, over));
        } else if (lasts(epoch)) {
            mayStart.run();
        } else {
            over.run();
        }
    }

    void save(SavedPlan plan) {
        replace(List.of(), plan);
    }

    void replace(List<String> old, SavedPlan plan) {
        inTerm(
                plan.epoch(),
                (asked, done) -> commit(
                        asked,
                        old,
                        Optional.of(plan),
                        outcome -> kept(asked, plan, outcome, done)));
    }

    private void kept(Term asked, SavedPlan plan, Outcome outcome, Runnable done) {
        switch (outcome) {
            case DONE -> sink.post(new Event.PlanSaved(plan.id()));
            case NOT_DONE -> {
                readBack(asked, plan, done);
                return;
            }
            case NOT_OURS -> doubt(asked);
            case UNANSWERED -> {
                if (lasts(asked.epoch().value())) {
                    process.after(PAUSE, () -> readBack(asked, plan, done));
                    return;
                }
            }
        }
        done.run();
    }

    private void readBack(Term asked, SavedPlan plan, Runnable done) {
        request(() -> zookeeper.has(plan) ? Outcome.DONE : Outcome.NOT_DONE, outcome -> {
            if (outcome == Outcome.NOT_DONE) {
                sink.post(new Event.PlanNotSaved(plan.id(), "ZooKeeper did not take it"));
                done.run();
            } else {
                kept(asked, plan, outcome, done);
            }
        });
    }

    void close(Epoch of, String plan) {
        inTerm(of, (asked, done) -> close(asked, plan, done));
    }

    private void close(Term asked, String plan, Runnable done) {
        commit(asked, List.of(plan), Optional.empty(), outcome -> {
            if (outcome == Outcome.UNANSWERED && lasts(asked.epoch().value())) {
                process.after(PAUSE, () -> close(asked, plan, done));
                return;
            }
            if (outcome == Outcome.NOT_OURS) {
                doubt(asked);
            } else if (outcome != Outcome.UNANSWERED) {
                sink.post(new Event.PlanClosed(plan));
            }
            done.run();
        });
    }

    private void doubt(Term doubted) {
        if (term.equals(Optional.of(doubted))) {
            stepDown();
        }
    }

    private interface InTerm {
        void run(Term term, Runnable done);
    }

    private void inTerm(Epoch of, InTerm work) {
        Optional<Term> asked = term.filter(lasting -> lasting.epoch().equals(of));
        if (asked.isPresent()) {
            planWork.add(done -> whenDecided(of.value(), () -> work.run(asked.get(), done), done));
            nextPlanWork();
        }
    }

    private void nextPlanWork() {
        if (!planBusy && !planWork.isEmpty()) {
            planBusy = true;
            planWork.remove().accept(() -> {
                planBusy = false;
                nextPlanWork();
            });
        }
    }

    private void commit(
            Term asked, List<String> removed, Optional<SavedPlan> created, Consumer<Outcome> then) {
        request(() -> zookeeper.commit(asked, removed, created), then);
    }

    /** There and back; without a connection, or by chance, no answer comes. */
    private void request(Supplier<Outcome> atServer, Consumer<Outcome> then) {
        boolean lost = draws.chance(faults.rates().zkLost());
        boolean carriedOut = !lost || draws.chance(0.5);
        process.after(faults.delay(draws, MOST_DELAY, SLOWEST), () -> {
            Outcome outcome = connected && carriedOut ? atServer.get() : Outcome.UNANSWERED;
            process.after(
                    faults.delay(draws, MOST_DELAY, SLOWEST),
                    () -> then.accept(lost || !connected ? Outcome.UNANSWERED : outcome));
        });
    }
}
