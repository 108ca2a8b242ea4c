package dev.cede.sandbox.kubernetes;

import dev.cede.nvml.sim.SimulatedCards;

/**
 * The cards of each node.
 *
 * @param cards how many
 * @param mib memory of each in MiB
 * @param reservedMib what the driver keeps of it
 */
public record CardSet(int cards, int mib, int reservedMib) {
    /** Puts them in place of those that are there. */
    void into(SimulatedCards machine) {
        machine.clear();
        for (int i = 0; i < cards; i++) {
            machine.add(mib, reservedMib);
        }
    }
}
