package dev.cede.model;

import java.util.List;

/**
 * Everything an agent holds, whole, so that a lost or doubled report changes nothing.
 *
 * @param instance changes with each start of the agent
 * @param version grows with each report of an instance
 * @param takesBinds whether a pod bound to the node now would be served (kubelet listens to
 *     both resources, and the welcome of the highest epoch was taken)
 * @param takesBindsReason empty when it takes binds
 * @param shares allocated and releasing ones
 * @param releases pods asked to be freed that the driver still shows
 */
public record NodeReport(
        String node,
        String instance,
        long version,
        Epoch highestEpoch,
        boolean takesBinds,
        String takesBindsReason,
        List<Card> cards,
        List<BookedShare> shares,
        List<Reservation> reservations,
        List<ReleaseWatch> releases,
        List<Drift> drifts) {

    public NodeReport {
        cards = List.copyOf(cards);
        shares = List.copyOf(shares);
        reservations = List.copyOf(reservations);
        releases = List.copyOf(releases);
        drifts = List.copyOf(drifts);
    }
}
