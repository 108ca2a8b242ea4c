package dev.cede.ledger;

import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;
import dev.cede.model.NodeReport;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.model.ShareState;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The books of one node, immutable (B6, B7). Applying the same fact twice changes nothing, and what
 * is applied and undone leaves books equal to those before.
 */
public final class NodeLedger {
    /** Containers that may share a card, unless configured otherwise (B3). */
    public static final int DEFAULT_MAX_SHARES = 20;

    private final int maxShares;
    private final SortedMap<CardId, Card> cards;
    private final SortedMap<ShareKey, BookedShare> shares;
    private final SortedMap<String, Reservation> reservations;

    private NodeLedger(
            int maxShares,
            SortedMap<CardId, Card> cards,
            SortedMap<ShareKey, BookedShare> shares,
            SortedMap<String, Reservation> reservations) {
        this.maxShares = maxShares;
        this.cards = Collections.unmodifiableSortedMap(cards);
        this.shares = Collections.unmodifiableSortedMap(shares);
        this.reservations = Collections.unmodifiableSortedMap(reservations);
    }

    public static NodeLedger empty(int maxShares) {
        return new NodeLedger(maxShares, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }

    /** The books as an agent reports them. */
    public static NodeLedger of(NodeReport report, int maxShares) {
        NodeLedger empty = empty(maxShares).withCards(report.cards());
        SortedMap<ShareKey, BookedShare> shares = new TreeMap<>();
        report.shares().forEach(booked -> shares.put(booked.share().key(), booked));
        SortedMap<String, Reservation> reservations = new TreeMap<>();
        report.reservations().forEach(r -> reservations.put(r.pod().uid(), r));
        return new NodeLedger(maxShares, empty.cards, shares, reservations);
    }

    public SortedMap<CardId, Card> cards() {
        return cards;
    }

    public SortedMap<ShareKey, BookedShare> shares() {
        return shares;
    }

    /** By pod UID. */
    public SortedMap<String, Reservation> reservations() {
        return reservations;
    }

    /** Cards in the driver's order. */
    public List<Card> cardsByIndex() {
        return cards.values().stream()
                .sorted(Comparator.comparingInt(Card::index))
                .toList();
    }

    public List<BookedShare> sharesOf(String podUid) {
        return shares.values().stream()
                .filter(booked -> booked.share().pod().uid().equals(podUid))
                .toList();
    }

    /** Replaces the cards; shares on a card that is gone stay in the books of that card (B17). */
    public NodeLedger withCards(Collection<Card> now) {
        SortedMap<CardId, Card> next = new TreeMap<>();
        now.forEach(card -> next.put(card.id(), card));
        return new NodeLedger(maxShares, next, shares, reservations);
    }

    /**
     * Why a reservation cannot be made, or empty. What this pod already has is left out of the sum,
     * so asking again for the same is never refused.
     */
    public Optional<LedgerRefusal> refusal(Reservation asked) {
        NodeLedger after = with(asked);
        for (Share share : asked.shares()) {
            if (shares.containsKey(share.key()) || alreadyReserved(share, asked)) {
                continue;
            }
            Optional<LedgerRefusal> refusal = after.refusalOn(share, this);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    /** Waiting for less than before makes it another ask. */
    private boolean alreadyReserved(Share share, Reservation asked) {
        Reservation held = reservations.get(share.pod().uid());
        return held != null
                && held.shares().contains(share)
                && asked.behind().containsAll(held.behind());
    }

    /**
     * Judges books in which the share already stands: now, where a card that foreign use made
     * overfull may still be held behind those that leave, and once they have left.
     */
    private Optional<LedgerRefusal> refusalOn(Share share, NodeLedger before) {
        Card card = cards.get(share.card());
        if (card == null) {
            return Optional.of(LedgerRefusal.unknownCard(share.card()));
        }
        if (!card.takesNew()) {
            return Optional.of(LedgerRefusal.unhealthy(card));
        }
        Optional<LedgerRefusal> mixed = typeConflict(card, share);
        return mixed.or(() -> LedgerRefusal.overfull(books(card.id()), before.books(card.id())))
                .or(() -> afterLeaving(share.pod().uid()).overfullOn(card.id()));
    }

    private Optional<LedgerRefusal> overfullOn(CardId card) {
        return LedgerRefusal.overfull(
                books(card), empty(maxShares).withCards(cards.values()).books(card));
    }

    /** The books once all that this pod waits for is gone. */
    private NodeLedger afterLeaving(String podUid) {
        SortedSet<ShareKey> behind = reservations.get(podUid).behind();
        if (behind.isEmpty()) {
            return this;
        }
        SortedMap<ShareKey, BookedShare> given = new TreeMap<>(shares);
        given.keySet().removeAll(behind);
        SortedMap<String, Reservation> open = new TreeMap<>(reservations);
        open.replaceAll((uid, reservation) -> reservation.withShares(reservation.shares().stream()
                .filter(share -> !behind.contains(share.key()))
                .toList()));
        return settled(given, open);
    }

    private Optional<LedgerRefusal> typeConflict(Card card, Share asked) {
        SortedSet<ShareKey> behind = reservations.get(asked.pod().uid()).behind();
        IsolationType type = asked.amount().type();
        boolean clashes = shares.values().stream()
                        .map(BookedShare::share)
                        .filter(share -> !behind.contains(share.key()))
                        .anyMatch(share -> clash(share, card.id(), type))
                || reservations.values().stream()
                        .flatMap(reservation -> reservation.shares().stream())
                        .filter(share -> !behind.contains(share.key()))
                        .anyMatch(share -> clash(share, card.id(), type));
        return clashes ? Optional.of(LedgerRefusal.otherType(card, type)) : Optional.empty();
    }

    private static boolean clash(Share share, CardId card, IsolationType type) {
        return share.card().equals(card) && !share.amount().type().mayShareCardWith(type);
    }

    /**
     * The books with this reservation in place of whatever the pod had reserved, without judging it.
     * Shares that kubelet already gave out are not reserved again, and shares that are not in the
     * books are nothing to wait for.
     */
    public NodeLedger with(Reservation reservation) {
        SortedMap<String, Reservation> next = new TreeMap<>(reservations);
        next.put(reservation.pod().uid(), reservation);
        return settled(shares, next);
    }

    /** The books without what is reserved for a pod; allocated shares stay. */
    public NodeLedger without(String podUid) {
        SortedMap<String, Reservation> next = new TreeMap<>(reservations);
        return next.remove(podUid) == null ? this : settled(shares, next);
    }

    /** Keeps of every reservation what is still open, and of what it waits for what is still there. */
    private NodeLedger settled(
            SortedMap<ShareKey, BookedShare> given, SortedMap<String, Reservation> asked) {
        SortedMap<String, Reservation> open = new TreeMap<>();
        asked.forEach((uid, reservation) -> {
            List<Share> left = reservation.shares().stream()
                    .filter(share -> !given.containsKey(share.key()))
                    .toList();
            if (!left.isEmpty()) {
                open.put(uid, reservation.withShares(left));
            }
        });
        SortedSet<ShareKey> present = new TreeSet<>(given.keySet());
        open.values().forEach(r -> r.shares().forEach(share -> present.add(share.key())));
        open.replaceAll((uid, reservation) -> {
            SortedSet<ShareKey> behind = new TreeSet<>(reservation.behind());
            behind.retainAll(present);
            return reservation.withBehind(behind);
        });
        return new NodeLedger(maxShares, cards, given, open);
    }

    /** Kubelet gave a container a share of one card. */
    public NodeLedger allocate(Share share) {
        return allocate(List.of(share));
    }

    /**
     * Kubelet gave a container all that it asks for: what it gave stands in the books, planned or
     * not, and takes the place of what was reserved for that container, also on other cards.
     *
     * @param container its shares, each of another card
     */
    public NodeLedger allocate(List<Share> container) {
        SortedMap<ShareKey, BookedShare> given = new TreeMap<>(shares);
        SortedMap<String, Reservation> left = new TreeMap<>(reservations);
        for (Share share : container) {
            if (given.putIfAbsent(share.key(), new BookedShare(share, ShareState.ALLOCATED))
                    == null) {
                left.computeIfPresent(
                        share.pod().uid(), (uid, reserved) -> without(reserved, share.container()));
            }
        }
        return settled(given, left);
    }

    private static Reservation without(Reservation reserved, String container) {
        return reserved.withShares(reserved.shares().stream()
                .filter(share -> !share.container().equals(container))
                .toList());
    }

    /** The pod is leaving or over: its shares count until they are measured free (B8). */
    public NodeLedger releasing(String podUid) {
        SortedMap<ShareKey, BookedShare> next = new TreeMap<>(shares);
        next.replaceAll((key, booked) -> key.podUid().equals(podUid)
                ? new BookedShare(booked.share(), ShareState.RELEASING)
                : booked);
        return new NodeLedger(maxShares, cards, next, reservations);
    }

    /** Measured free: the share leaves the books, and holds do not wait for it any more. */
    public NodeLedger free(ShareKey key) {
        if (!shares.containsKey(key)) {
            return this;
        }
        SortedMap<ShareKey, BookedShare> left = new TreeMap<>(shares);
        left.remove(key);
        return settled(left, reservations);
    }

    /** All shares of a pod are measured free. */
    public NodeLedger freePod(String podUid) {
        NodeLedger next = this;
        for (BookedShare booked : sharesOf(podUid)) {
            next = next.free(booked.share().key());
        }
        return next;
    }

    /** The sums of one card that the node has. */
    public CardBooks books(CardId id) {
        Card card = cards.get(id);
        if (card == null) {
            throw new IllegalArgumentException("no card " + id);
        }
        Load given = Load.NONE;
        Optional<IsolationType> runs = Optional.empty();
        for (Share share : givenOn(id)) {
            given = given.plus(share.amount());
            runs = Optional.of(share.amount().type());
        }
        Holds holds = holdsOn(id);
        return new CardBooks(card, given, holds.uncovered(), runs.or(holds::type), maxShares);
    }

    private List<Share> givenOn(CardId id) {
        return Stream.concat(
                        shares.values().stream().map(BookedShare::share),
                        reservations.values().stream()
                                .filter(reservation -> !reservation.isHold())
                                .flatMap(reservation -> reservation.shares().stream()))
                .filter(share -> share.card().equals(id))
                .toList();
    }

    private record Holds(Load uncovered, Optional<IsolationType> type) {}

    /** Holds behind the same set count together, and only beyond what the set still takes (B6). */
    private Holds holdsOn(CardId id) {
        Map<List<ShareKey>, Load> bySet = new LinkedHashMap<>();
        Optional<IsolationType> type = Optional.empty();
        for (Reservation hold : reservations.values()) {
            for (Share share : hold.shares()) {
                if (hold.isHold() && share.card().equals(id)) {
                    bySet.merge(
                            List.copyOf(hold.behind()), Load.NONE.plus(share.amount()), Load::plus);
                    type = Optional.of(share.amount().type());
                }
            }
        }
        Load uncovered = Load.NONE;
        for (Map.Entry<List<ShareKey>, Load> set : bySet.entrySet()) {
            uncovered = uncovered.plus(set.getValue().beyond(loadOf(set.getKey(), id)));
        }
        return new Holds(uncovered, type);
    }

    private Load loadOf(List<ShareKey> keys, CardId card) {
        Load load = Load.NONE;
        for (ShareKey key : keys) {
            if (key.card().equals(card)) {
                load = share(key).map(Share::amount).map(load::plus).orElse(load);
            }
        }
        return load;
    }

    /** A share by its key, whether given out or reserved. */
    public Optional<Share> share(ShareKey key) {
        BookedShare booked = shares.get(key);
        if (booked != null) {
            return Optional.of(booked.share());
        }
        Reservation reserved = reservations.get(key.podUid());
        return reserved == null
                ? Optional.empty()
                : reserved.shares().stream()
                        .filter(share -> share.key().equals(key))
                        .findFirst();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeLedger that
                && maxShares == that.maxShares
                && cards.equals(that.cards)
                && shares.equals(that.shares)
                && reservations.equals(that.reservations);
    }

    @Override
    public int hashCode() {
        return Objects.hash(cards, shares, reservations);
    }

    @Override
    public String toString() {
        return "cards " + cards.keySet() + ", shares " + shares.values() + ", reservations "
                + reservations.values();
    }
}
