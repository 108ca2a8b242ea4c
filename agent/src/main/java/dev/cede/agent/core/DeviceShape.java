package dev.cede.agent.core;

import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;

import java.util.List;

/** What of a card kubelet sees: foreign use and the like do not concern it. */
record DeviceShape(CardId card, int units, boolean healthy) {
    static List<DeviceShape> of(List<Card> cards) {
        return cards.stream()
                .map(card -> new DeviceShape(
                        card.id(), card.capacityUnits(), card.health() != CardHealth.UNHEALTHY))
                .toList();
    }
}
