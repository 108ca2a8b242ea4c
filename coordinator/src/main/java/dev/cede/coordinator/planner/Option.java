package dev.cede.coordinator.planner;

import dev.cede.model.CardId;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * One way to place one pod on one node.
 *
 * @param cards the card of each part of its ask
 * @param victims who has to be evicted, over what the plan evicts already
 * @param awaited who leaves anyway and has to be waited for
 * @param exact whether no cheaper victims exist for these cards (E4)
 */
record Option(
        NodeState node,
        List<CardId> cards,
        SortedMap<CardId, Demand> demands,
        List<Resident> victims,
        List<Resident> awaited,
        boolean exact) {

    List<Resident> gone() {
        return Stream.concat(victims.stream(), awaited.stream()).toList();
    }

    List<Integer> cardIndexes() {
        return cards.stream().map(card -> node.card(card).card().index()).toList();
    }
}
