package dev.cede.agent.core;

import dev.cede.ledger.LedgerRefusal;
import dev.cede.model.BookedShare;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The coordinator's orders. */
final class Orders {
    private Orders() {}

    /** Why an order is not carried out; empty when it was. */
    private record Outcome(Refusal refusal, String reason) {
        static final Outcome DONE = new Outcome(Refusal.NONE, "");
    }

    static void obey(Turn turn, NodeEvent.Ordered ordered) {
        if (ordered.epoch().isOlderThan(turn.term.highest())) {
            answer(turn, ordered, staleEpoch(turn, ordered));
            return;
        }
        if (turn.term.highest().isOlderThan(ordered.epoch())) {
            turn.term = turn.term.seen(ordered.epoch()).welcomed(false);
        }
        Optional<OrderResult> earlier = turn.term.resultOf(ordered.orderId());
        if (earlier.isPresent() && !(ordered.order() instanceof Order.Welcome)) {
            turn.emit(new NodeEffect.SendResult(earlier.get()));
            return;
        }
        Outcome outcome = carryOut(turn, ordered.order());
        turn.term = turn.term.answered(answer(turn, ordered, outcome));
    }

    private static Outcome staleEpoch(Turn turn, NodeEvent.Ordered ordered) {
        return new Outcome(
                Refusal.STALE_EPOCH,
                "epoch " + ordered.epoch() + " is over; the node has seen " + turn.term.highest());
    }

    private static OrderResult answer(Turn turn, NodeEvent.Ordered ordered, Outcome outcome) {
        OrderResult result =
                new OrderResult(ordered.orderId(), outcome.refusal(), outcome.reason());
        turn.emit(new NodeEffect.SendResult(result));
        turn.log(
                "order",
                "order=%s id=%s result=%s%s"
                        .formatted(
                                describe(ordered.order()),
                                ordered.orderId(),
                                outcome.refusal(),
                                outcome.reason().isEmpty()
                                        ? ""
                                        : " reason=\"" + outcome.reason() + "\""));
        return result;
    }

    private static String describe(Order order) {
        return switch (order) {
            case Order.Welcome welcome ->
                "welcome wanted=" + welcome.wanted().size() + " frees="
                        + welcome.frees().size();
            case Order.Reserve reserve ->
                (reserve.reservation().isHold() ? "hold pod=" : "reserve pod=")
                        + reserve.reservation().pod().namespacedName();
            case Order.Move move ->
                "move from=" + move.fromPodUid() + " pod=" + move.to().pod().namespacedName();
            case Order.Drop drop -> "drop uid=" + drop.podUid();
            case Order.Free free -> "free pod=" + free.pod().namespacedName();
        };
    }

    private static Outcome carryOut(Turn turn, Order order) {
        return switch (order) {
            case Order.Welcome welcome -> welcome(turn, welcome);
            case Order.Reserve reserve -> reserve(turn, reserve.reservation());
            case Order.Move move -> move(turn, move);
            case Order.Drop drop -> drop(turn, drop.podUid());
            case Order.Free free -> free(turn, free.pod());
        };
    }

    private static Outcome welcome(Turn turn, Order.Welcome welcome) {
        Set<String> wanted = new TreeSet<>();
        welcome.wanted().forEach(each -> wanted.add(each.pod().uid()));
        for (String uid : List.copyOf(turn.books.order())) {
            if (!wanted.contains(uid) && !turn.books.mayBeGiven(uid)) {
                turn.books = turn.books.drop(uid);
                turn.log("dropped", "uid=%s reason=\"not wanted\"".formatted(uid));
            }
        }
        for (Reservation reservation : welcome.wanted()) {
            Outcome outcome = reserve(turn, reservation);
            if (outcome.refusal() != Refusal.NONE) {
                turn.log(
                        "not_kept",
                        "pod=%s reason=\"%s\""
                                .formatted(reservation.pod().namespacedName(), outcome.reason()));
            }
        }
        for (PodRef pod : welcome.frees()) {
            free(turn, pod);
        }
        turn.term = turn.term.welcomed(true);
        return Outcome.DONE;
    }

    private static Outcome reserve(Turn turn, Reservation asked) {
        Optional<Outcome> refusal = refusal(turn.books, asked);
        if (refusal.isEmpty()) {
            turn.books = turn.books.reserve(asked);
        }
        return refusal.orElse(Outcome.DONE);
    }

    private static Optional<Outcome> refusal(Books books, Reservation asked) {
        for (BookedShare booked : books.ledger().sharesOf(asked.pod().uid())) {
            if (differs(asked, booked.share())) {
                return Optional.of(new Outcome(
                        Refusal.ALREADY_ALLOCATED,
                        "container " + booked.share().container() + " has "
                                + booked.share().amount() + " on "
                                + booked.share().card()));
            }
        }
        return books.ledger().refusal(asked).map(Orders::outcome);
    }

    /** The container was asked for, and kubelet gave it something else. */
    private static boolean differs(Reservation asked, Share given) {
        List<Share> same = asked.shares().stream()
                .filter(share -> share.container().equals(given.container()))
                .toList();
        return !same.isEmpty()
                && same.stream()
                        .noneMatch(share -> share.card().equals(given.card())
                                && share.amount().equals(given.amount()));
    }

    private static Outcome outcome(LedgerRefusal refusal) {
        return new Outcome(refusal.kind(), refusal.reason());
    }

    private static Outcome move(Turn turn, Order.Move move) {
        String from = move.fromPodUid();
        String to = move.to().pod().uid();
        if (turn.books.mayBeGiven(from)) {
            return given(from);
        }
        boolean known = turn.books.ledger().reservations().containsKey(from);
        if (!known && !turn.books.isOurs(to)) {
            return new Outcome(Refusal.UNKNOWN_RESERVATION, "nothing is reserved for " + from);
        }
        Books without = from.equals(to) ? turn.books : turn.books.drop(from);
        Optional<Outcome> refusal = refusal(without, move.to());
        if (refusal.isEmpty()) {
            turn.books = without.reserve(move.to());
        }
        return refusal.orElse(Outcome.DONE);
    }

    private static Outcome drop(Turn turn, String podUid) {
        if (turn.books.mayBeGiven(podUid)) {
            return given(podUid);
        }
        turn.books = turn.books.drop(podUid);
        return Outcome.DONE;
    }

    private static Outcome given(String podUid) {
        return new Outcome(Refusal.ALREADY_ALLOCATED, "kubelet may have devices for pod " + podUid);
    }

    /** Carried out means that the watch has begun: when it ends, a report says so. */
    private static Outcome free(Turn turn, PodRef pod) {
        Release.begin(turn, pod.uid());
        return Outcome.DONE;
    }
}
