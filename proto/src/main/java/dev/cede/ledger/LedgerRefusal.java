package dev.cede.ledger;

import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;
import dev.cede.model.OrderResult.Refusal;

import java.util.Optional;

/** Why a reservation cannot be made, as a sentence. */
public record LedgerRefusal(Refusal kind, String reason) {

    static LedgerRefusal unknownCard(CardId id) {
        return new LedgerRefusal(Refusal.UNKNOWN_CARD, "the node has no card " + id);
    }

    static LedgerRefusal unhealthy(Card card) {
        return new LedgerRefusal(
                Refusal.NO_ROOM, card.shortName() + " takes nothing new: " + card.healthReason());
    }

    static LedgerRefusal otherType(Card card, IsolationType asked) {
        return new LedgerRefusal(
                Refusal.NO_ROOM, card.shortName() + " serves another isolation type than " + asked);
    }

    /**
     * Judges a card after the fact: empty when everything on it, foreign use too, has room, or it is
     * no fuller than before.
     */
    static Optional<LedgerRefusal> overfull(CardBooks books, CardBooks before) {
        Load load = books.load();
        Load was = before.load();
        int usable = books.card().capacityUnits() - books.card().foreignUnits();
        if (load.units() > Math.max(usable, was.units())) {
            return overfull(books, load.units() + " units of " + usable);
        }
        if (load.core() > Math.max(100, was.core())) {
            return overfull(books, load.core() + " % core of 100");
        }
        if (load.shares() > Math.max(books.maxShares(), was.shares())) {
            return overfull(books, load.shares() + " shares of " + books.maxShares());
        }
        return Optional.empty();
    }

    private static Optional<LedgerRefusal> overfull(CardBooks books, String what) {
        return Optional.of(new LedgerRefusal(
                Refusal.NO_ROOM, books.card().shortName() + " would hold " + what));
    }
}
