package dev.cede.sandbox.machine;

/**
 * What is built.
 *
 * @param cards of each node
 * @param cardMib memory of a card in MiB
 * @param reservedMib what the driver keeps of it
 */
public record Size(int nodes, int cards, int cardMib, int reservedMib) {
    int allCards() {
        return nodes * cards;
    }
}
