package dev.cede.coordinator.simulation;

import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.IsolationType;
import dev.cede.model.NodeReport;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;

/** The sum of B6 and the types of B2, counted here once more, on a node's report. */
final class CardSums {
    private static final int MOST_SHARES = 20;

    private CardSums() {}

    static void check(String node, NodeReport report) {
        for (Card card : report.cards()) {
            List<Share> given = given(report, card);
            Sum sum = Sum.of(given);
            for (Sum uncovered : uncovered(report, card)) {
                sum = sum.plus(uncovered);
            }
            Sum all = sum;
            Violation.unless(
                    all.units <= card.capacityUnits()
                            && all.core <= 100
                            && all.count <= MOST_SHARES,
                    "card over capacity",
                    () -> node + " " + card.id() + " of " + card.capacityUnits() + "u has " + all
                            + ": " + report.shares() + " " + report.reservations());
            oneType(node, card, given);
        }
    }

    private static void oneType(String node, Card card, List<Share> given) {
        Set<IsolationType> types = new HashSet<>();
        given.forEach(share -> types.add(share.amount().type()));
        Violation.unless(
                types.size() < 2, "card of two types", () -> node + " " + card.id() + given);
    }

    private static List<Share> given(NodeReport report, Card card) {
        List<Share> all = new ArrayList<>();
        report.shares().stream().map(BookedShare::share).forEach(all::add);
        report.reservations().stream()
                .filter(reservation -> !reservation.isHold())
                .forEach(reservation -> all.addAll(reservation.shares()));
        return on(card, all);
    }

    private static List<Share> on(Card card, List<Share> shares) {
        return shares.stream().filter(share -> share.card().equals(card.id())).toList();
    }

    /** Of each set of shares that holds stand behind, what the holds take beyond it. */
    private static List<Sum> uncovered(NodeReport report, Card card) {
        Map<ShareKey, Share> byKey = new HashMap<>();
        report.shares().forEach(booked -> byKey.put(booked.share().key(), booked.share()));
        report.reservations().forEach(r -> r.shares().forEach(s -> byKey.put(s.key(), s)));
        Map<SortedSet<ShareKey>, Sum> holds = new HashMap<>();
        for (Reservation hold : report.reservations()) {
            if (hold.isHold()) {
                holds.merge(hold.behind(), Sum.of(on(card, hold.shares())), Sum::plus);
            }
        }
        List<Sum> uncovered = new ArrayList<>();
        holds.forEach((behind, sum) -> {
            List<Share> covering = behind.stream()
                    .map(byKey::get)
                    .filter(share -> share != null)
                    .toList();
            uncovered.add(sum.beyond(Sum.of(on(card, covering))));
        });
        return uncovered;
    }

    private record Sum(int units, int core, int count) {
        static Sum of(List<Share> shares) {
            return new Sum(
                    shares.stream().mapToInt(share -> share.amount().units()).sum(),
                    shares.stream().mapToInt(share -> share.amount().core()).sum(),
                    shares.size());
        }

        Sum plus(Sum other) {
            return new Sum(units + other.units, core + other.core, count + other.count);
        }

        Sum beyond(Sum other) {
            return new Sum(
                    Math.max(0, units - other.units),
                    Math.max(0, core - other.core),
                    Math.max(0, count - other.count));
        }
    }
}
