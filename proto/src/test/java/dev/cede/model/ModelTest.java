package dev.cede.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelTest {
    private static final long MIB = 1L << 20;

    @ParameterizedTest(name = "{0} MiB less {1}")
    @CsvSource({
        "16160, 0, 126",
        "8192, 0, 64",
        "8192, 210, 62",
        "46068, 0, 359",
        "15360, 450, 116",
        "127, 0, 0"
    })
    void capacityIsWholeUnitsOfUsableMemory_B1_B30_B31(long total, long reserved, int units) {
        Card card = new Card(
                new CardId("GPU-1"),
                0,
                0,
                "",
                total * MIB,
                reserved * MIB,
                CardHealth.HEALTHY,
                "",
                0);
        assertEquals(units, card.capacityUnits());
    }

    @Test
    void unitsConvert_A1() {
        assertEquals(134_217_728, Units.BYTES);
        assertEquals(1, Units.floor(Units.BYTES + 1));
        assertEquals(2, Units.ceil(Units.BYTES + 1));
        assertEquals(8192, Units.toMib(64));
    }

    @Test
    void theTypeIsThatOfTheAmount_A5() {
        assertEquals(IsolationType.MEMORY, new Amount(8, 0).type());
        assertEquals(IsolationType.MEMORY_AND_CORE, new Amount(8, 5).type());
        assertFalse(IsolationType.MEMORY.mayShareCardWith(IsolationType.MEMORY_AND_CORE));
        assertTrue(IsolationType.MEMORY.mayShareCardWith(IsolationType.MEMORY));
    }

    @Test
    void impossibleValuesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Amount(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Amount(1, 101));
        assertThrows(IllegalArgumentException.class, () -> new Epoch(-1));
        assertThrows(IllegalArgumentException.class, () -> new CardId(""));
    }
}
