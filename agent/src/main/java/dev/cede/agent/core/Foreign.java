package dev.cede.agent.core;

import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.ShareState;
import dev.cede.model.Units;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Use that no share accounts for (B6): of processes that belong to no share of the card, and of
 * pods beyond their shares. It lowers what may be planned and is nobody's victim.
 */
final class Foreign {
    /** In the sums: entries of gone processes that nobody claims, kept apart from any pod. */
    private static final String NOBODY = "";

    private Foreign() {}

    static List<Card> counted(Turn turn, DriverReading reading) {
        return reading.cards().stream()
                .map(card -> card.withForeignUnits(units(turn, card.id(), reading)))
                .toList();
    }

    private static int units(Turn turn, CardId card, DriverReading reading) {
        TreeMap<String, Long> used = new TreeMap<>();
        for (DriverEntry entry : reading.entries()) {
            if (entry.card().equals(card)) {
                used.merge(
                        owner(turn, entry).orElse(NOBODY),
                        Math.max(0, entry.usedBytes()),
                        Long::sum);
            }
        }
        long foreign = 0;
        long unused = unusedByReleasing(turn, card, used);
        for (var each : used.entrySet()) {
            boolean unclaimed = each.getKey().equals(NOBODY);
            long share = unclaimed ? 0 : unitsOf(turn, each.getKey(), card) * Units.BYTES;
            foreign += Math.max(0, each.getValue() - share);
        }
        long gone = goneUnclaimed(turn, card, reading);
        return Units.ceil(foreign - Math.min(gone, unused));
    }

    /** What lingers of a pod that is leaving is taken to be covered by its share. */
    private static long unusedByReleasing(Turn turn, CardId card, Map<String, Long> used) {
        return turn.books.ledger().shares().values().stream()
                .filter(booked -> booked.state() == ShareState.RELEASING)
                .filter(booked -> booked.share().card().equals(card))
                .map(booked -> booked.share().pod().uid())
                .distinct()
                .mapToLong(uid -> Math.max(
                        0, unitsOf(turn, uid, card) * Units.BYTES - used.getOrDefault(uid, 0L)))
                .sum();
    }

    private static long goneUnclaimed(Turn turn, CardId card, DriverReading reading) {
        return reading.entries().stream()
                .filter(entry -> entry.card().equals(card) && entry.process().isEmpty())
                .filter(entry -> owner(turn, entry).isEmpty())
                .mapToLong(entry -> Math.max(0, entry.usedBytes()))
                .sum();
    }

    private static long unitsOf(Turn turn, String podUid, CardId card) {
        return turn.books.ledger().sharesOf(podUid).stream()
                .map(BookedShare::share)
                .filter(share -> share.card().equals(card))
                .map(share -> share.amount())
                .mapToLong(Amount::units)
                .sum();
    }

    private static Optional<String> owner(Turn turn, DriverEntry entry) {
        if (entry.process().isPresent()) {
            return entry.process().get().podUid().filter(turn.books::hasShares);
        }
        return turn.driver.attributions().stream()
                .filter(each -> each.pid() == entry.pid())
                .map(Attribution::podUid)
                .filter(turn.books::hasShares)
                .findFirst();
    }
}
