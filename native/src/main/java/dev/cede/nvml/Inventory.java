package dev.cede.nvml;

import java.util.List;
import java.util.Optional;

/**
 * One reading of all cards.
 *
 * @param cards usable cards in the driver's order
 * @param excluded cards that cannot be used, in the driver's order
 * @param notes what an operator should know about the figures, such as what an old driver cannot
 *     tell; the same sentences at every reading
 */
public record Inventory(
        String driverVersion,
        List<NvmlCard> cards,
        List<ExcludedCard> excluded,
        List<String> notes) {

    public Inventory {
        cards = List.copyOf(cards);
        excluded = List.copyOf(excluded);
        notes = List.copyOf(notes);
    }

    /** The usable card of this UUID. */
    public Optional<NvmlCard> card(String uuid) {
        return cards.stream().filter(card -> card.uuid().equals(uuid)).findFirst();
    }
}
