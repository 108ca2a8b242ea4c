package dev.cede.nvml;

import dev.cede.nvml.sim.SimulatedCard;
import dev.cede.nvml.sim.SimulatedCards;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract through JNA and a real shared library. */
final class NvmlCardInventoryIT extends CardInventoryContractTest {
    private SimulatedCards cards;

    @TempDir
    Path folder;

    @Override
    CardInventory open() {
        cards = SimulatedCards.in(folder);
        return NvmlCardInventory.open(cards.library().toString());
    }

    @Override
    void put(int index, SimulatedCard card) {
        cards.put(index, card);
    }
}
