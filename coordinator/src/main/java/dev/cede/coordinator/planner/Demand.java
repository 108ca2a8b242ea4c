package dev.cede.coordinator.planner;

import dev.cede.ledger.Load;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What one pod wants of one card; its containers there are of one type. */
record Demand(Load load, IsolationType type) {

    static Demand of(Amount amount) {
        return new Demand(Load.NONE.plus(amount), amount.type());
    }

    /** Of the same type. */
    Demand plus(Demand other) {
        return new Demand(load.plus(other.load), type);
    }

    /**
     * Demands by card.
     *
     * @param cards the card of each part, of the first ones or of all
     * @return empty when two types would meet on one card
     */
    static Optional<SortedMap<CardId, Demand>> of(List<Demand> parts, List<CardId> cards) {
        SortedMap<CardId, Demand> demands = new TreeMap<>();
        for (int i = 0; i < cards.size(); i++) {
            Demand part = parts.get(i);
            Demand there = demands.get(cards.get(i));
            if (there != null && !there.type.mayShareCardWith(part.type)) {
                return Optional.empty();
            }
            demands.put(cards.get(i), there == null ? part : there.plus(part));
        }
        return Optional.of(demands);
    }
}
