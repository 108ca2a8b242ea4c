package dev.cede.agent.core;

import dev.cede.deviceplugin.Given;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Two equal containers of which kubelet served one with what was meant for the other: both have
 * what they asked for, so they change places in the books.
 */
final class Swap {
    private Swap() {}

    /**
     * The other pod's reservation after the exchange; empty where nobody equal was meant.
     *
     * @param planned for the container that kubelet served, all of it
     * @param given what was granted, and for whom it was taken to be
     */
    static Optional<Reservation> of(
            Books books,
            ContainerKey served,
            List<Share> planned,
            SortedMap<CardId, Amount> actual,
            Set<Given> given) {
        if (planned.size() != 1 || actual.size() != 1) {
            return Optional.empty();
        }
        Share mine = planned.getFirst();
        for (Given grant : given) {
            Reservation other = books.ledger().reservations().get(grant.podUid());
            if (other == null || served.podUid().equals(grant.podUid())) {
                continue;
            }
            for (Share theirs : other.shares()) {
                if (theirs.container().equals(grant.container())
                        && theirs.amount().equals(mine.amount())
                        && theirs.amount().equals(actual.get(theirs.card()))) {
                    return Optional.of(exchanged(other, theirs, mine.card()));
                }
            }
        }
        return Optional.empty();
    }

    private static Reservation exchanged(Reservation other, Share from, CardId to) {
        List<Share> shares = new ArrayList<>();
        for (Share share : other.shares()) {
            shares.add(
                    share.equals(from)
                            ? new Share(share.pod(), share.container(), to, share.amount())
                            : share);
        }
        return other.withShares(shares);
    }
}
