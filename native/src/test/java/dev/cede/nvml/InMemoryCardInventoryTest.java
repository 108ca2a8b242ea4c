package dev.cede.nvml;

import dev.cede.nvml.sim.InMemoryCardInventory;
import dev.cede.nvml.sim.SimulatedCard;

final class InMemoryCardInventoryTest extends CardInventoryContractTest {
    private final InMemoryCardInventory inventory = new InMemoryCardInventory();

    @Override
    CardInventory open() {
        return inventory;
    }

    @Override
    void put(int index, SimulatedCard card) {
        inventory.put(index, card);
    }
}
