package dev.cede.coordinator.loop;

import dev.cede.model.NodeReport;

import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** One node's agent in this term: its stream and what it last said. */
final class AgentState {
    private NodeReport report;
    private long stream;
    private Optional<Instant> awaySince = Optional.empty();
    private String welcomeOrder = "";
    private boolean welcomed;
    private Optional<Instant> closedSince;

    /** Pods whose release was asked for on this stream. */
    private final Set<String> freesSent = new HashSet<>();

    /** By UID of a pod whose reservation this stream was asked to drop: the order not answered yet. */
    private final Map<String, String> dropsSent = new TreeMap<>();

    private final ReservesSent reservesSent = new ReservesSent();

    AgentState(long stream, NodeReport report, Instant now) {
        this.stream = stream;
        this.report = report;
        this.closedSince = report.takesBinds() ? Optional.empty() : Optional.of(now);
    }

    /** True if what the agent holds has changed, or its stream is a new one. */
    boolean reported(long onStream, NodeReport next, Instant now) {
        boolean fresh = onStream != stream || awaySince.isPresent();
        boolean changed = fresh || !sameContent(report, next);
        if (fresh) {
            stream = onStream;
            awaySince = Optional.empty();
            welcomeOrder = "";
            welcomed = false;
            freesSent.clear();
            dropsSent.clear();
            reservesSent.clear();
        }
        reservesSent.reported(next);
        report = next;
        closedSince = next.takesBinds() ? Optional.empty() : closedSince.or(() -> Optional.of(now));
        return changed;
    }

    private static boolean sameContent(NodeReport a, NodeReport b) {
        return a.takesBinds() == b.takesBinds()
                && a.cards().equals(b.cards())
                && a.shares().equals(b.shares())
                && a.reservations().equals(b.reservations())
                && a.releases().equals(b.releases());
    }

    void detached(long onStream, Instant now) {
        if (onStream == stream && awaySince.isEmpty()) {
            awaySince = Optional.of(now);
            welcomed = false;
        }
    }

    boolean attached() {
        return awaySince.isEmpty();
    }

    /** Attached, and it has taken the welcome of this term. */
    boolean welcomed() {
        return attached() && welcomed;
    }

    boolean awaitsWelcome() {
        return attached() && welcomeOrder.isEmpty();
    }

    void welcomeSent(String orderId) {
        welcomeOrder = orderId;
    }

    /** True if the order answered was the welcome. */
    boolean welcomeAnswered(String orderId, boolean done) {
        if (!orderId.equals(welcomeOrder)) {
            return false;
        }
        welcomed = done;
        return true;
    }

    /** True the first time that it is asked on a stream. */
    boolean firstFree(String uid) {
        return freesSent.add(uid);
    }

    boolean isDropSent(String uid) {
        return dropsSent.containsKey(uid);
    }

    void dropSent(String uid, String orderId) {
        dropsSent.put(uid, orderId);
        reservesSent.dropped(uid);
    }

    /** The pod whose reservation was to be dropped by this order. */
    Optional<String> droppedBy(String orderId) {
        return dropsSent.entrySet().stream()
                .filter(sent -> sent.getValue().equals(orderId))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** The report that came before the answer shows what became of it. */
    void dropAnswered(String uid) {
        dropsSent.remove(uid);
    }

    ReservesSent reservesSent() {
        return reservesSent;
    }

    long stream() {
        return stream;
    }

    NodeReport report() {
        return report;
    }

    /** Since when a pod bound to the node would not be served, though the agent is there. */
    Optional<Instant> closedSince() {
        return closedSince;
    }

    Optional<Instant> awaySince() {
        return awaySince;
    }
}
