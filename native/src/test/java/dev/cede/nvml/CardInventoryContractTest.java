package dev.cede.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.nvml.GpuProcess.Kind;
import dev.cede.nvml.sim.Ghost;
import dev.cede.nvml.sim.SimulatedCard;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link CardInventory} does, whatever it reads its cards from. */
abstract class CardInventoryContractTest {
    static final long MIB = 1L << 20;

    private CardInventory inventory;

    /** An inventory of no cards; {@link #put} adds them. */
    abstract CardInventory open();

    abstract void put(int index, SimulatedCard card);

    @BeforeEach
    void openInventory() {
        inventory = open();
    }

    @AfterEach
    void closeInventory() {
        inventory.close();
    }

    static SimulatedCard card(int index) {
        return SimulatedCard.of(index, "GPU-" + index, 16384);
    }

    @Test
    void noCardsIsAnAnswerToo() {
        Inventory read = inventory.read();
        assertEquals(List.of(), read.cards());
        assertEquals(List.of(), read.excluded());
        assertFalse(read.driverVersion().isEmpty());
    }

    @Test
    void aCardIsReadWithAllItsFigures() {
        put(0, card(0));
        put(
                1,
                new SimulatedCard(
                        "GPU-b",
                        "Card B",
                        "00000000:3B:00.0",
                        7,
                        8192,
                        210,
                        Duration.ZERO,
                        List.of(Ghost.of(101, 10), Ghost.of(102, 20)),
                        List.of()));
        assertEquals(
                new NvmlCard(
                        "GPU-b",
                        1,
                        7,
                        "Card B",
                        "00000000:3B:00.0",
                        8192 * MIB,
                        210 * MIB,
                        30 * MIB),
                inventory.read().cards().get(1));
    }

    @Test
    void reservedMemoryIsToldApart_B31() {
        put(0, card(0).withTotalMib(15360).withReservedMib(450));
        NvmlCard read = inventory.read().cards().get(0);
        assertEquals(15360 * MIB, read.totalBytes());
        assertEquals(450 * MIB, read.reservedBytes());
        assertEquals(0, read.usedBytes());
    }

    @Test
    void aCardThatHasNoMemoryFigureIsExcludedWithTheReason_B31() {
        put(0, card(0).withFault("memory", "NOT_SUPPORTED"));
        put(1, card(1));
        Inventory read = inventory.read();
        assertEquals(List.of("GPU-1"), read.cards().stream().map(NvmlCard::uuid).toList());
        ExcludedCard excluded = read.excluded().get(0);
        assertEquals(0, excluded.index());
        assertTrue(excluded.reason().endsWith("answered NOT_SUPPORTED (3)"), excluded.reason());
        assertFalse(excluded.retryCanHelp());
    }

    @Test
    void aLostCardLeavesTheOthersReadableAndIsNamed() {
        put(0, card(0));
        put(1, card(1).withGhost(Ghost.of(5, 100)));
        assertEquals(2, inventory.read().cards().size());
        put(0, card(0).withFault("all", "GPU_IS_LOST"));
        Inventory read = inventory.read();
        assertEquals("GPU-1", read.cards().get(0).uuid());
        assertEquals("GPU-0", read.excluded().get(0).uuid().orElseThrow());
        assertEquals(1, inventory.processes("GPU-1").size());
        NvmlException lost = assertThrows(NvmlException.class, () -> inventory.processes("GPU-0"));
        assertEquals(OptionalInt.of(15), lost.returnCode());
        put(0, card(0));
        assertEquals(2, inventory.read().cards().size());
    }

    @Test
    void aTimeoutIsAFailureThatARetryCanCure() {
        put(0, card(0).withFault("compute", "TIMEOUT"));
        NvmlException timeout =
                assertThrows(NvmlException.class, () -> inventory.processes("GPU-0"));
        assertTrue(timeout.retryCanHelp());
        assertTrue(timeout.getMessage().endsWith("answered TIMEOUT (10)"), timeout.getMessage());
        put(0, card(0));
        assertEquals(List.of(), inventory.processes("GPU-0"));
    }

    @Test
    void processesComeInOrderOfPidWithTheirMemory() {
        put(
                0,
                card(0).withGhosts(List.of(
                        Ghost.of(300, 30),
                        new Ghost(200, OptionalLong.of(20), true),
                        Ghost.of(100, 10))));
        assertEquals(
                List.of(
                        new GpuProcess(100, OptionalLong.of(10 * MIB), Kind.COMPUTE),
                        new GpuProcess(200, OptionalLong.of(20 * MIB), Kind.GRAPHICS),
                        new GpuProcess(300, OptionalLong.of(30 * MIB), Kind.COMPUTE)),
                inventory.processes("GPU-0"));
    }

    @Test
    void usedMemoryThatIsNotAvailableIsNoNumber_B38() {
        put(0, card(0).withGhosts(List.of(Ghost.ofUnknownUse(7), Ghost.of(8, 5))));
        assertEquals(
                List.of(
                        new GpuProcess(7, OptionalLong.empty(), Kind.COMPUTE),
                        new GpuProcess(8, OptionalLong.of(5 * MIB), Kind.COMPUTE)),
                inventory.processes("GPU-0"));
        assertEquals(5 * MIB, inventory.read().cards().get(0).usedBytes());
    }

    @Test
    void aCardThatCannotDrawHasOnlyComputingProcesses() {
        Ghost drawing = new Ghost(2, OptionalLong.of(1), true);
        SimulatedCard both = card(0).withGhosts(List.of(Ghost.of(1, 1), drawing));
        put(0, both.withFault("graphics", "NOT_SUPPORTED"));
        assertEquals(
                List.of(1),
                inventory.processes("GPU-0").stream().map(GpuProcess::pid).toList());
        put(0, both.withFault("graphics", "TIMEOUT"));
        assertThrows(NvmlException.class, () -> inventory.processes("GPU-0"));
    }

    @Test
    void twoHundredProcessesAreAllListed() {
        put(
                0,
                card(0).withGhosts(IntStream.rangeClosed(1, 200)
                        .mapToObj(pid -> Ghost.of(pid, 1))
                        .toList()));
        List<GpuProcess> processes = inventory.processes("GPU-0");
        assertEquals(200, processes.size());
        assertEquals(200, processes.get(199).pid());
        put(0, card(0));
        assertEquals(List.of(), inventory.processes("GPU-0"));
    }

    @Test
    void anUnknownCardIsRefusedByName() {
        put(0, card(0));
        NvmlException unknown =
                assertThrows(NvmlException.class, () -> inventory.processes("GPU-none"));
        assertEquals(OptionalInt.of(6), unknown.returnCode());
        assertFalse(unknown.retryCanHelp());
    }

    @Test
    void afterCloseNothingIsAnsweredAndASecondCloseIsHarmless() {
        inventory.close();
        inventory.close();
        assertThrows(IllegalStateException.class, inventory::read);
        assertThrows(IllegalStateException.class, () -> inventory.processes("GPU-0"));
    }
}
