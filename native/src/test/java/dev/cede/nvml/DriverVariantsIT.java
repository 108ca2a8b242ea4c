package dev.cede.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.nvml.GpuProcess.Kind;
import dev.cede.nvml.sim.Fault;
import dev.cede.nvml.sim.Ghost;
import dev.cede.nvml.sim.SimulatedCard;
import dev.cede.nvml.sim.SimulatedCards;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers that lack something, or are not there at all. */
final class DriverVariantsIT {
    private static final long MIB = 1L << 20;

    private SimulatedCards cards;

    @TempDir
    Path folder;

    @BeforeEach
    void threeProcessesOnOneCard() {
        cards = SimulatedCards.in(folder);
        cards.put(
                0,
                SimulatedCard.of(0, "GPU-0", 15360)
                        .withReservedMib(450)
                        .withGhosts(
                                List.of(Ghost.of(101, 10), Ghost.of(102, 20), Ghost.of(103, 30))));
    }

    private CardInventory open(String variant) throws URISyntaxException {
        Path build = Path.of(DriverVariantsIT.class
                .getResource("/nvml-variants/" + variant + ".so")
                .toURI());
        return NvmlCardInventory.open(cards.installLibrary(build).toString());
    }

    private static GpuProcess process(int pid, long mib) {
        return new GpuProcess(pid, OptionalLong.of(mib * MIB), Kind.COMPUTE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"only-unversioned", "only-v2", "only-v3", "wide-v3"})
    void everyFormOfTheProcessCallDecodesEqual_B48(String variant) throws URISyntaxException {
        try (CardInventory inventory = open(variant)) {
            assertEquals(
                    List.of(process(101, 10), process(102, 20), process(103, 30)),
                    inventory.processes("GPU-0"));
        }
    }

    @Test
    void aDriverWithoutAnyProcessCallIsRefusedByName() {
        NvmlException refused = assertThrows(NvmlException.class, () -> open("no-process-call"));
        assertTrue(
                refused.getMessage()
                        .endsWith("it has none of the functions"
                                + " nvmlDeviceGetComputeRunningProcesses_v3,"
                                + " nvmlDeviceGetComputeRunningProcesses_v2,"
                                + " nvmlDeviceGetComputeRunningProcesses"),
                refused.getMessage());
    }

    @Test
    void anOldDriverThatDoesNotTellReservedMemoryIsReadAndSaysSo() throws URISyntaxException {
        try (CardInventory inventory = open("no-memory-v2")) {
            assertReservedCountsAsUsed(inventory.read());
        }
    }

    @Test
    void aLibraryAboveAnOlderDriverIsReadInTheOldWayToo() {
        cards.edit(0, card -> card.withFault("memory_v2", "FUNCTION_NOT_FOUND"));
        try (CardInventory inventory = NvmlCardInventory.open(cards.library().toString())) {
            assertReservedCountsAsUsed(inventory.read());
        }
    }

    private static void assertReservedCountsAsUsed(Inventory read) {
        NvmlCard card = read.cards().get(0);
        assertEquals(0, card.reservedBytes());
        assertEquals((450 + 60) * MIB, card.usedBytes());
        assertEquals(
                List.of("this driver does not tell how much memory it reserves;"
                        + " it is counted as used"),
                read.notes());
    }

    @Test
    void aMissingLibraryIsOneSentenceWithItsName() {
        NvmlException byName =
                assertThrows(NvmlException.class, () -> NvmlCardInventory.open("libno-such.so.1"));
        assertTrue(
                byName.getMessage().startsWith("driver library libno-such.so.1 cannot be used: "),
                byName.getMessage());
        assertFalse(byName.getMessage().contains("\n"));
        assertEquals("libno-such.so.1", byName.call());
        String path = folder.resolve("nothing.so").toString();
        NvmlException byPath =
                assertThrows(NvmlException.class, () -> NvmlCardInventory.open(path));
        assertEquals(
                "driver library " + path + " cannot be used: no such file", byPath.getMessage());
    }

    @Test
    void aFileThatIsNoLibraryIsOneSentenceWithItsName() throws Exception {
        Path file = Files.writeString(folder.resolve("text.so"), "not a library");
        NvmlException refused =
                assertThrows(NvmlException.class, () -> NvmlCardInventory.open(file.toString()));
        assertTrue(
                refused.getMessage().startsWith("driver library " + file + " cannot be used: "),
                refused.getMessage());
    }

    @Test
    void aDriverThatIsNotLoadedYetIsWorthARetry() {
        cards.driver("1", List.of(new Fault("init", "DRIVER_NOT_LOADED")));
        NvmlException refused = assertThrows(
                NvmlException.class,
                () -> NvmlCardInventory.open(cards.library().toString()));
        assertEquals("nvmlInit_v2", refused.call());
        assertEquals(OptionalInt.of(9), refused.returnCode());
        assertTrue(refused.retryCanHelp());
        cards.driver("550.1", List.of());
        try (CardInventory inventory = NvmlCardInventory.open(cards.library().toString())) {
            assertEquals("550.1", inventory.read().driverVersion());
        }
    }

    @Test
    void twoMachinesInOneProcessKeepTheirCardsApart(@TempDir Path other) {
        SimulatedCards others = SimulatedCards.in(other);
        others.put(0, SimulatedCard.of(0, "GPU-other", 8192));
        try (CardInventory here = NvmlCardInventory.open(cards.library().toString());
                CardInventory there = NvmlCardInventory.open(others.library().toString())) {
            assertEquals("GPU-0", here.read().cards().get(0).uuid());
            assertEquals("GPU-other", there.read().cards().get(0).uuid());
        }
    }

    @Test
    void twoReadersOfOneLibraryEndOneByOne() {
        String library = cards.library().toString();
        try (CardInventory second = NvmlCardInventory.open(library)) {
            NvmlCardInventory.open(library).close();
            assertEquals(1, second.read().cards().size());
        }
    }

    @Test
    void aWrongCardFileExcludesTheCardAndNoOther() throws Exception {
        cards.put(1, SimulatedCard.of(1, "GPU-1", 100));
        Files.writeString(folder.resolve("card0.conf"), "total_mib=many\n");
        try (CardInventory inventory = NvmlCardInventory.open(cards.library().toString())) {
            Inventory read = inventory.read();
            assertEquals("GPU-1", read.cards().get(0).uuid());
            assertEquals(0, read.excluded().get(0).index());
        }
    }
}
