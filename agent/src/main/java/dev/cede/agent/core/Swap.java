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
import java.util.TreeMap;

/**
 * Two equal containers of which kubelet served one with what was meant for the other: both have
 * what they asked for, so they change places in the books.
 */
final class Swap {
    private Swap() {}

    /**
     * The other pod's reservation after the exchange; empty where nobody equal was meant.
     *
     * @param planned for the container that kubelet served, by card
     * @param given what was granted, and for whom it was taken to be
     */
    static Optional<Reservation> of(
            Books books,
            ContainerKey served,
            SortedMap<CardId, Amount> planned,
            SortedMap<CardId, Amount> actual,
            Set<Given> given) {
        for (Given grant : given) {
            Reservation other = books.ledger().reservations().get(grant.podUid());
            if (other == null || served.podUid().equals(grant.podUid())) {
                continue;
            }
            SortedMap<CardId, Amount> theirs =
                    other.byContainer().getOrDefault(grant.container(), new TreeMap<>());
            boolean equal = theirs.equals(actual)
                    && List.copyOf(theirs.values()).equals(List.copyOf(planned.values()));
            boolean whole = isWhole(books, served.podUid()) && isWhole(books, grant.podUid());
            if (equal && (planned.size() == 1 || whole)) {
                return Optional.of(exchanged(other, grant.container(), planned));
            }
        }
        return Optional.empty();
    }

    /** Whether the pod is this container: those of several cards are all on the same ones (A8). */
    private static boolean isWhole(Books books, String podUid) {
        return books.ledger().sharesOf(podUid).isEmpty()
                && books.ledger().reservations().get(podUid).byContainer().size() == 1;
    }

    private static Reservation exchanged(
            Reservation other, String container, SortedMap<CardId, Amount> to) {
        List<Share> shares = new ArrayList<>();
        other.byContainer()
                .forEach((name, parts) -> (name.equals(container) ? to : parts)
                        .forEach((card, amount) ->
                                shares.add(new Share(other.pod(), name, card, amount))));
        return other.withShares(shares);
    }
}
