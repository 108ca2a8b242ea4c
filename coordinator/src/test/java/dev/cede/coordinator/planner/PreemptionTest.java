package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class PreemptionTest {
    private static void assertSays(String reason, String... parts) {
        for (String part : parts) {
            assertTrue(reason.contains(part), () -> "no \"" + part + "\" in: " + reason);
        }
    }

    @Test
    void theDocumentedExampleNeedsTheSwitch_B55_V01_D5() {
        String[] example = {"c0[64u]", "L(p0,64u)@c0"};
        assertEquals(
                "H@n0/c0 after L, evicting L",
                World.of(example).withSwitch(true).plan("H(p1000,64u,50%)"));
        assertSays(
                World.of(example).plan("H(p1000,64u,50%)"),
                "other isolation type on c0",
                "the switch enable_topology_aware_preemption would allow it");
        assertEquals("H@n0/c0 after L, evicting L", World.of(example).plan("H(p1000,64u)"));
    }
}
