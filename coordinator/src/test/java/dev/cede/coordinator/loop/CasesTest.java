package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Field reports about others, played through the loop. */
final class CasesTest {
    private final LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    private void victimWithGrace(Duration grace) {
        world.put(Facts.withGrace(Facts.pod("low", 0, 64, 0), grace));
        world.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(world.pod("low").terminating());
    }

    @Test
    void B15_the_share_of_a_victim_that_ignores_its_signal_is_not_given_out_before_it_is_over() {
        victimWithGrace(Duration.ofSeconds(60));
        for (int second = 0; second < 60; second++) {
            world.advance(Duration.ofSeconds(1));
            assertFalse(world.pod("high").bound());
            assertEquals(64, given());
        }
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertEquals(64, given());
    }

    private int given() {
        return world.agents.get("n0").ledger.shares().values().stream()
                .mapToInt(booked -> booked.share().amount().units())
                .sum();
    }

    @Test
    void B16_memory_that_stays_after_its_pod_is_gone_holds_the_winner_back_until_it_goes() {
        victimWithGrace(Duration.ofSeconds(30));
        world.finalPhase("low");
        world.objectGone("low");
        world.advance(Duration.ofSeconds(20));
        assertFalse(world.pod("high").bound());
        assertTrue(world.reasons.get("high").contains("4242"), world.reasons.get("high"));
        var before = world.now;
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertEquals(before, world.now);
    }

    @Test
    void B16_memory_that_never_goes_is_not_waited_for_again() {
        victimWithGrace(Duration.ofSeconds(30));
        world.finalPhase("low");
        world.objectGone("low");
        world.advance(Duration.ofSeconds(61));
        assertTrue(world.saved.isEmpty());
        world.advance(Duration.ofMinutes(10));
        assertFalse(world.pod("high").bound());
        assertEquals(1, world.all(Effect.SavePlan.class).size());
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty());
    }

    @Test
    void B18_a_new_leader_counts_every_share_of_a_full_card() {
        for (int i = 0; i < 20; i++) {
            world.put(Facts.pod("p" + i, 0, 1, 0));
            assertTrue(world.pod("p" + i).bound());
        }
        world.leaderStarts();
        world.put(Facts.pod("p20", 0, 1, 0));
        assertFalse(world.pod("p20").bound());
        assertTrue(world.reasons.get("p20").contains("20"), world.reasons.get("p20"));
    }

    @Test
    void B65_a_victim_that_ends_long_before_its_grace_wakes_the_winner_at_once() {
        victimWithGrace(Duration.ofMinutes(5));
        world.advance(Duration.ofSeconds(5));
        world.finalPhase("low");
        var before = world.now;
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertEquals(before, world.now);
    }

    @Test
    void B65_a_victim_that_takes_all_its_grace_is_waited_for_and_named() {
        victimWithGrace(Duration.ofMinutes(5));
        world.advance(Duration.ofSeconds(299));
        assertEquals(1, world.saved.size());
        assertEquals(
                "Unschedulable: waiting for default/low, grace 300 s", world.reasons.get("high"));
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
    }

    @Test
    void K04_a_gang_that_can_never_fit_holds_nobody_up() {
        GroupRef gang = new GroupRef(GroupRef.Kind.VOLCANO, "default", "gang");
        world.feed(new Event.GroupSeen(GroupFacts.of(gang, 4)));
        for (int i = 1; i <= 4; i++) {
            world.put(Facts.grouped("m" + i, "gang", 1000, 64));
        }
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty());
        var before = world.now;
        world.put(Facts.pod("small", 0, 8, 0));
        assertTrue(world.pod("small").bound());
        assertEquals(before, world.now);
        assertFalse(world.reasons.get("m1").isEmpty());
    }
}
