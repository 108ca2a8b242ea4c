package dev.cede.ledger;

import dev.cede.model.Card;
import dev.cede.model.IsolationType;

import java.util.Optional;

/**
 * One card's sums.
 *
 * @param given allocated, releasing and reserved shares
 * @param uncovered what holds take beyond the shares they stand behind (B6)
 * @param type of what is on the card, else of what is held on it; empty when the card is free of
 *     type (B2)
 * @param maxShares containers that may share the card (B3)
 */
public record CardBooks(
        Card card, Load given, Load uncovered, Optional<IsolationType> type, int maxShares) {

    /** All that counts against the card's capacity. */
    public Load load() {
        return given.plus(uncovered);
    }

    /** Units that may still be planned; foreign use lowers them (B6). */
    public int freeUnits() {
        return Math.max(0, card.capacityUnits() - card.foreignUnits() - load().units());
    }

    public int freeCore() {
        return Math.max(0, 100 - load().core());
    }

    public int freeShares() {
        return Math.max(0, maxShares - load().shares());
    }

    /** Whether the sum of B6 holds: foreign use stands outside it. */
    public boolean withinCapacity() {
        Load load = load();
        return load.units() <= card.capacityUnits()
                && load.core() <= 100
                && load.shares() <= maxShares;
    }
}
