package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.Amount;
import dev.cede.model.Share;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Pods whose sidecars have shares beside those of the app containers (A6). */
final class SidecarTest {
    private final LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    private Map<String, Amount> sharesOf(String pod) {
        Map<String, Amount> shares = new TreeMap<>();
        world.agents.get("n0").ledger.sharesOf(world.pod(pod).uid()).forEach(booked -> {
            Share share = booked.share();
            shares.put(share.container(), share.amount());
        });
        return shares;
    }

    @Test
    void A6_A10_a_sidecar_and_an_app_container_have_a_share_each() {
        world.put(Facts.withSidecar(Facts.pod("p", 0, 48, 50), 16, 30));
        assertTrue(world.pod("p").bound());
        assertEquals(Map.of("side", new Amount(16, 30), "c", new Amount(48, 50)), sharesOf("p"));
    }

    @Test
    void A6_the_agent_expects_the_sidecar_first_as_kubelet_asks_for_it_first() {
        world.kubeletStarts = false;
        world.put(Facts.withSidecar(Facts.pod("p", 0, 32, 0), 32, 0));
        List<String> order =
                world.agents.get("n0").ledger.reservations().get("uid-p").shares().stream()
                        .map(Share::container)
                        .toList();
        assertEquals(List.of("side", "c"), order);
    }

    @Test
    void A6_the_room_of_the_sidecar_counts_when_a_pod_is_placed() {
        world.put(Facts.withSidecar(Facts.pod("p", 0, 48, 0), 17, 0));
        assertFalse(world.pod("p").bound());
    }

    @Test
    void A6_B55_a_pod_preempts_for_its_sidecar_too() {
        world.put(Facts.pod("low", 0, 32, 0));
        world.put(Facts.withSidecar(Facts.pod("high", 1000, 32, 0), 32, 0));
        assertTrue(world.pod("low").terminating());
        world.finalPhase("low");
        assertFalse(world.pod("high").bound(), "the driver still shows the victim");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertEquals(Map.of("side", new Amount(32, 0), "c", new Amount(32, 0)), sharesOf("high"));
    }

    @Test
    void A6_D4_a_victim_leaves_with_the_share_of_its_sidecar() {
        world.put(Facts.withSidecar(Facts.pod("low", 0, 32, 0), 32, 0));
        world.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(world.pod("low").terminating());
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
    }
}
