package dev.cede.coordinator.loop;

import dev.cede.model.NodeReport;
import dev.cede.model.Reservation;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What one stream was asked to reserve and no report shows yet: the agent may have it already, or
 * will, before it comes to whatever is sent next.
 */
final class ReservesSent {
    /** By order. */
    private final Map<String, Reservation> onTheWay = new TreeMap<>();

    /** Done, so that the next report shows them. */
    private final Set<String> done = new HashSet<>();

    void sent(String orderId, Reservation reservation) {
        onTheWay.put(orderId, reservation);
    }

    void answered(String orderId, boolean isDone) {
        if (isDone) {
            done.add(orderId);
        } else {
            onTheWay.remove(orderId);
        }
    }

    void reported(NodeReport report) {
        onTheWay.keySet().removeAll(done);
        done.clear();
        report.reservations().forEach(held -> dropped(held.pod().uid()));
    }

    /** An order that undoes it was sent after it. */
    void dropped(String podUid) {
        onTheWay.values().removeIf(sent -> sent.pod().uid().equals(podUid));
    }

    void clear() {
        onTheWay.clear();
        done.clear();
    }

    Collection<Reservation> all() {
        return List.copyOf(onTheWay.values());
    }
}
