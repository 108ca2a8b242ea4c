package dev.cede.nvml.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class CardFileTest {

    @Test
    void aCardIsReadAsItWasWritten() {
        SimulatedCard card = new SimulatedCard(
                "GPU-a",
                "Card = A",
                "00000000:3B:00.0",
                3,
                15360,
                450,
                Duration.ofMillis(1500),
                List.of(
                        Ghost.of(1, 10),
                        Ghost.ofUnknownUse(2),
                        new Ghost(3, OptionalLong.of(0), true)),
                List.of(new Fault("memory", "NOT_SUPPORTED"), new Fault("all", "GPU_IS_LOST")));
        assertEquals(card, CardFile.read(3, CardFile.write(card)));
    }

    @Test
    void aKeyThatTheDriverWouldNotKnowIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> CardFile.read(0, "uuid=GPU-a\nsize=5\n"));
    }

    @Test
    void aFaultThatTheDriverWouldNotKnowIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Fault("memory", "no such"));
        assertThrows(IllegalArgumentException.class, () -> new Fault("a:b", "TIMEOUT"));
    }
}
