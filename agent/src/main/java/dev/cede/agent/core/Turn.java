package dev.cede.agent.core;

import dev.cede.model.Drift;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** One step under way: the state as it becomes, and what is to be done. */
final class Turn {
    /** After its start kubelet counts devices of dead pods until all its sources are ready. */
    private static final long KUBELET_SETTLE_MILLIS = 10_000;

    private final NodeState before;
    final long now;
    final List<NodeEffect> effects = new ArrayList<>();
    Books books;
    Term term;
    KubeletView kubelet;
    DriverView driver;
    private final TreeMap<String, Drift> drifts;

    Turn(NodeState before, long now) {
        this.before = before;
        this.now = now;
        this.books = before.books();
        this.term = before.term();
        this.kubelet = before.kubelet();
        this.driver = before.driver();
        this.drifts = new TreeMap<>(before.drifts());
    }

    NodeSettings settings() {
        return before.settings();
    }

    void emit(NodeEffect effect) {
        effects.add(effect);
    }

    void log(String event, String details) {
        emit(new NodeEffect.Log("event=" + event + " node=" + settings().node() + " epoch="
                + term.highest() + " " + details));
    }

    /** Counts a difference between ledger, kubelet and driver, and says it. */
    void drift(String kind, String sentence) {
        long count = drifts.containsKey(kind) ? drifts.get(kind).count() : 0;
        drifts.put(kind, new Drift(kind, count + 1, sentence));
        log("drift", "kind=%s count=%d reason=\"%s\"".formatted(kind, count + 1, sentence));
    }

    void kubeletStarted(long ageMillis) {
        kubelet = kubelet.started(now - ageMillis, now);
        readKubelet();
        if (!books.ledger().shares().isEmpty()) {
            kubelet = kubelet.settlingUntil(now + KUBELET_SETTLE_MILLIS - ageMillis);
        }
        log(
                "kubelet_started",
                "shares=%d age_ms=%d".formatted(books.ledger().shares().size(), ageMillis));
    }

    /** Whether kubelet should be told anew. */
    boolean cardsChanged() {
        return !DeviceShape.of(before.ledger().cardsByIndex())
                        .equals(DeviceShape.of(books.ledger().cardsByIndex()))
                || !before.books().names().equals(books.names());
    }

    void readDriver() {
        if (!driver.reading()) {
            driver = driver.started();
            emit(new NodeEffect.ReadDriver(
                    driver.issued(), new java.util.TreeSet<>(driver.needs().keySet())));
        }
    }

    void readKubelet() {
        if (!kubelet.reading()) {
            kubelet = kubelet.startedReading();
            emit(new NodeEffect.ReadKubelet());
        }
    }

    /** The new state, and its effects: the checkpoint before anything that tells of it. */
    NodeCore.Step finish(boolean announce) {
        books = books.settled();
        NodeState after =
                new NodeState(settings(), books, term, kubelet, driver, drifts, before.reported());
        List<NodeEffect> ordered = new ArrayList<>();
        Checkpoint checkpoint = after.checkpoint();
        if (!checkpoint.equals(before.checkpoint())) {
            ordered.add(new NodeEffect.Save(checkpoint));
        }
        NodeState told = Reports.publish(after, now, announce, ordered);
        ordered.addAll(effects);
        return new NodeCore.Step(told, ordered);
    }
}
