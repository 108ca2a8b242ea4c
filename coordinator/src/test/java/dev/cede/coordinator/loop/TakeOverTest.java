package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.Epoch;
import dev.cede.model.Order;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A leader dies between two steps and the next one goes on from what is saved and held. */
final class TakeOverTest {
    private final LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    private void finishes() {
        world.unanswered.clear();
        world.leaderStarts();
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertTrue(world.saved.isEmpty());
        assertEquals(1, bindsOf("high"));
    }

    private long bindsOf(String name) {
        return world.all(Effect.Bind.class).stream()
                .filter(bind -> bind.pod().ref().name().equals(name))
                .count();
    }

    @Test
    void after_the_save_and_before_the_hold() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.unanswered.add(Effect.Send.class);
        world.put(Facts.pod("high", 1000, 64, 50));
        assertEquals(1, world.saved.size());
        finishes();
    }

    @Test
    void after_the_hold_and_before_the_eviction() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.unanswered.add(Effect.Evict.class);
        world.put(Facts.pod("high", 1000, 64, 50));
        assertFalse(world.pod("low").terminating());
        finishes();
    }

    @Test
    void while_the_victim_leaves() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.pod("high", 1000, 64, 50));
        assertTrue(world.pod("low").terminating());
        finishes();
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void after_the_release_and_before_the_Binding() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.pod("high", 1000, 64, 50));
        world.unanswered.add(Effect.Bind.class);
        world.finalPhase("low");
        world.driverEmpty("low");
        assertFalse(world.pod("high").bound());
        world.unanswered.clear();
        world.leaderStarts();
        assertTrue(world.pod("high").bound());
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void after_the_Binding_and_before_the_allocation() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.pod("high", 1000, 64, 50));
        world.kubeletStarts = false;
        world.finalPhase("low");
        world.driverEmpty("low");
        assertEquals(1, world.saved.size());
        world.leaderStarts();
        world.start("high");
        assertEquals(1, bindsOf("high"));
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void B13_a_reservation_of_the_old_leader_is_adopted_and_its_room_is_not_given_twice() {
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.pod("p1", 0, 64, 0));
        world.unanswered.clear();
        world.leaderStarts();
        world.put(Facts.pod("p2", 0, 64, 0));
        assertTrue(world.pod("p1").bound());
        assertFalse(world.pod("p2").bound());
        assertEquals(
                new Epoch(2),
                world.all(Effect.Send.class)
                        .get(world.all(Effect.Send.class).size() - 1)
                        .epoch());
    }

    @Test
    void B13_what_an_old_leader_reserved_is_wanted_by_the_next_from_its_welcome_on() {
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.pod("p", 0, 64, 0));
        world.leaderStarts();
        Order.Welcome welcome = (Order.Welcome) world.all(Effect.Send.class).stream()
                .filter(send -> send.epoch().equals(new Epoch(2)))
                .findFirst()
                .orElseThrow()
                .order();
        assertEquals(
                List.of("p"),
                welcome.wanted().stream().map(wanted -> wanted.pod().name()).toList());
    }

    @Test
    void E9_the_release_deadline_is_the_one_saved_with_the_plan() {
        LoopWorld two = LoopWorld.topologyAware(true).node("n0", 64, 64).leaderStarts();
        two.put(Facts.pod("v0", 0, 64, 0));
        two.put(Facts.pod("v1", 5, 64, 0));
        two.put(Facts.pod("high", 1000, 64, 0));
        two.leaderStarts(new LoopSettings(
                LoopWorld.SETTINGS.schedulerNames(),
                LoopWorld.SETTINGS.planner(),
                LoopWorld.SETTINGS.workloadPolicy(),
                LoopWorld.SETTINGS.workloadSettle(),
                LoopWorld.SETTINGS.attachTimeout(),
                Duration.ofHours(1),
                LoopWorld.SETTINGS.nodeLost(),
                LoopWorld.SETTINGS.handOver(),
                LoopWorld.SETTINGS.backoff(),
                LoopWorld.SETTINGS.backoffMost()));
        two.finalPhase("v0");
        two.advance(Duration.ofSeconds(61));
        assertEquals(1, two.all(Effect.ReplacePlan.class).size());
    }

    @Test
    void a_leader_that_is_suspended_starts_nothing_until_it_is_sure_again() {
        world.feed(new Event.LeadershipSuspended());
        world.put(Facts.pod("p", 0, 64, 0));
        assertEquals(List.of(), world.all(Effect.Bind.class));
        world.feed(new Event.LeadershipResumed());
        assertTrue(world.pod("p").bound());
    }

    @Test
    void a_leader_that_has_lost_starts_nothing() {
        world.feed(new Event.LeadershipLost("other"));
        world.put(Facts.pod("p", 0, 64, 0));
        world.attach(world.agents.get("n0"));
        assertEquals(List.of(), world.all(Effect.Bind.class));
    }
}
