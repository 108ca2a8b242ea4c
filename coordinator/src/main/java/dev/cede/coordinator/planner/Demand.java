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

    /**
     * Demands by card.
     *
     * @param cards the card of each amount
     * @return empty when two types would meet on one card
     */
    static Optional<SortedMap<CardId, Demand>> of(List<Amount> amounts, List<CardId> cards) {
        SortedMap<CardId, Demand> demands = new TreeMap<>();
        for (int i = 0; i < cards.size(); i++) {
            Amount amount = amounts.get(i);
            Demand there = demands.get(cards.get(i));
            if (there != null && !there.type.mayShareCardWith(amount.type())) {
                return Optional.empty();
            }
            Load load = (there == null ? Load.NONE : there.load).plus(amount);
            demands.put(cards.get(i), new Demand(load, amount.type()));
        }
        return Optional.of(demands);
    }
}
