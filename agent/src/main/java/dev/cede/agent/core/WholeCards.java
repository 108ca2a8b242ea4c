package dev.cede.agent.core;

import dev.cede.model.Card;
import dev.cede.model.CardId;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Cards that kubelet gave out whole, through the vendor's own device plugin (B12). */
final class WholeCards {
    /** Between a card's UUID and the number of its replica, where cards are shared in time. */
    private static final String REPLICA = "::";

    private WholeCards() {}

    /** The node's cards, each with the devices that are this card. */
    static List<Card> markedOn(NodeState state) {
        return state.ledger().cardsByIndex().stream()
                .map(card -> card.withWholeCardDevices(devices(state.kubelet(), card.id())))
                .toList();
    }

    private static SortedMap<String, Integer> devices(KubeletView kubelet, CardId card) {
        SortedMap<String, Integer> devices = new TreeMap<>();
        kubelet.wholeCards()
                .forEach((pod, ids) -> ids.stream()
                        .filter(id -> id.split(REPLICA, 2)[0].equals(card.uuid()))
                        .forEach(id -> devices.merge(pod, 1, Integer::sum)));
        return devices;
    }
}
