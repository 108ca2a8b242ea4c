package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of the place of a winner that did not start (E14). */
final class HandOverTest {
    private static final OwnerRef SET = new OwnerRef("ReplicaSet", "set", "uid-set");
    private static final GroupRef GANG = new GroupRef(GroupRef.Kind.VOLCANO, "default", "gang");

    private final LoopWorld world =
            LoopWorld.topologyAware(true).node("n0", 64).node("n1", 64).leaderStarts();

    /** Both nodes are full, and {@code high-1} waits for the room of {@code low-0}. */
    private void highWaits() {
        world.put(Facts.pod("low-0", 0, 64, 0));
        world.put(Facts.pod("low-1", 100, 64, 0));
        world.owner(SET, 1);
        world.kubeletStarts = false;
        world.put(Facts.owned("high-1", SET, 1000, 64));
    }

    private void lowIsGone() {
        world.finalPhase("low-0");
        world.driverEmpty("low-0");
        world.objectGone("low-0");
    }

    private void highIsBound() {
        highWaits();
        lowIsGone();
        assertTrue(world.pod("high-1").bound());
    }

    /** Of a priority that would take any room that is nobody's, and nobody's by force. */
    private boolean strangerGetsIn() {
        world.put(Facts.pod("stranger", 50, 64, 0));
        return world.pod("stranger").bound();
    }

    private List<String> members() {
        return world.saved.values().stream()
                .flatMap(plan -> plan.placements().stream())
                .map(place -> place.pod().name())
                .toList();
    }

    @Test
    void E14_the_place_of_a_winner_that_kubelet_rejects_goes_to_the_pod_that_replaces_it() {
        highIsBound();
        world.put(Facts.rejected(world.pod("high-1")));
        assertFalse(strangerGetsIn());
        world.put(Facts.owned("high-2", SET, 1000, 64));
        world.advance(Duration.ofSeconds(1));
        assertEquals(world.pod("high-1").nodeName(), world.pod("high-2").nodeName());
        assertEquals(List.of("high-2"), members());
        world.start("high-2");
        assertTrue(world.saved.isEmpty());
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    /** Kubelet may find the next one no better. */
    @Test
    void E12_the_pod_that_replaces_a_rejected_one_waits_for_the_back_off() {
        highIsBound();
        world.put(Facts.rejected(world.pod("high-1")));
        world.put(Facts.owned("high-2", SET, 1000, 64));
        assertFalse(world.pod("high-2").bound());
        world.advance(Duration.ofSeconds(1));
        world.put(Facts.rejected(world.pod("high-2")));
        world.put(Facts.owned("high-3", SET, 1000, 64));
        world.advance(Duration.ofSeconds(1));
        assertFalse(world.pod("high-3").bound());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("high-3").bound());
    }

    @Test
    void E14_a_winner_that_is_replaced_while_its_victim_leaves_keeps_the_place_for_the_next() {
        highWaits();
        world.objectGone("high-1");
        lowIsGone();
        assertFalse(strangerGetsIn());
        world.put(Facts.owned("high-2", SET, 1000, 64));
        assertTrue(world.pod("high-2").bound());
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void E14_a_winner_that_is_replaced_while_its_Binding_is_not_answered_keeps_the_place() {
        highWaits();
        world.bindFailures.add(new ApiFailure(0, "no answer"));
        world.unanswered.add(Effect.ReadPod.class);
        lowIsGone();
        var lost = world.pod("high-1").ref();
        world.objectGone("high-1");
        world.unanswered.clear();
        world.feed(new Event.PodRead(lost, Optional.empty()));
        long reads = world.all(Effect.ReadPod.class).size();
        world.put(Facts.owned("high-2", SET, 1000, 64));
        assertTrue(world.pod("high-2").bound());
        assertEquals(reads, world.all(Effect.ReadPod.class).size());
    }

    @Test
    void E14_nobody_is_evicted_for_a_winner_that_is_not_there() {
        world.unanswered.add(Effect.SavePlan.class);
        highWaits();
        world.objectGone("high-1");
        SavedPlan plan = world.all(Effect.SavePlan.class).getFirst().plan();
        world.saved.put(plan.id(), plan);
        world.feed(new Event.PlanSaved(plan.id()));
        world.advance(Duration.ofSeconds(30));
        assertTrue(world.all(Effect.Evict.class).isEmpty());
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void E14_a_pod_of_another_shape_does_not_take_the_place() {
        highIsBound();
        world.put(Facts.rejected(world.pod("high-1")));
        world.put(Facts.owned("high-2", SET, 1000, 32));
        world.advance(Duration.ofSeconds(5));
        assertFalse(world.pod("high-2").bound());
    }

    @Test
    void E14_a_place_that_nobody_takes_in_time_is_anybodys() {
        highIsBound();
        world.put(Facts.rejected(world.pod("high-1")));
        assertFalse(strangerGetsIn());
        world.advance(Duration.ofSeconds(30));
        assertTrue(world.pod("stranger").bound());
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void E14_places_that_nobody_takes_in_time_end_their_plan_together() {
        world.put(Facts.pod("low-0", 0, 64, 0));
        world.put(Facts.pod("low-1", 0, 64, 0));
        world.owner(SET, 2);
        world.kubeletStarts = false;
        for (String high : List.of("high-1", "high-2")) {
            world.put(Facts.owned(high, SET, 1000, 64));
        }
        for (String low : List.of("low-0", "low-1")) {
            world.finalPhase(low);
            world.driverEmpty(low);
        }
        world.put(Facts.rejected(world.pod("high-1")));
        world.put(Facts.rejected(world.pod("high-2")));
        world.advance(Duration.ofSeconds(30));
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void E14_what_the_rejected_winner_was_given_is_measured_free_before_the_next_is_bound() {
        highIsBound();
        AgentModel agent = world.agents.get(world.pod("high-1").nodeName().orElseThrow());
        agent.ledger.reservations().get("uid-high-1").shares().forEach(agent::allocate);
        world.report(agent);
        world.put(Facts.rejected(world.pod("high-1")));
        assertFalse(strangerGetsIn());
        world.put(Facts.owned("high-2", SET, 1000, 64));
        world.advance(Duration.ofSeconds(1));
        assertFalse(world.pod("high-2").bound());
        world.driverEmpty("high-1");
        assertTrue(world.pod("high-2").bound());
        assertFalse(world.pod("stranger").bound());
    }

    @Test
    void E14_a_winner_that_has_started_is_on_its_own() {
        highIsBound();
        world.start("high-1");
        world.put(Facts.rejected(world.pod("high-1")));
        world.driverEmpty("high-1");
        assertTrue(strangerGetsIn());
    }

    private void gangIsBound() {
        world.put(Facts.pod("low-0", 0, 64, 0));
        world.put(Facts.pod("low-1", 0, 64, 0));
        world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
        world.kubeletStarts = false;
        world.put(Facts.grouped("m1", "gang", 1000, 64));
        world.put(Facts.grouped("m2", "gang", 1000, 64));
        for (String low : List.of("low-0", "low-1")) {
            world.finalPhase(low);
            world.driverEmpty(low);
        }
        assertTrue(world.pod("m1").bound() && world.pod("m2").bound());
    }

    @Test
    void E14_a_group_that_stays_below_its_minimum_is_rolled_back() {
        gangIsBound();
        world.start("m1");
        world.put(Facts.rejected(world.pod("m2")));
        world.advance(Duration.ofSeconds(29));
        assertTrue(world.all(Effect.RollBack.class).isEmpty());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("m1").terminating());
        assertTrue(world.saved.isEmpty());
        assertEquals(2, world.all(Effect.Evict.class).size(), "it is no eviction");
    }

    @Test
    void E14_a_group_whose_lost_member_is_replaced_in_time_stays() {
        gangIsBound();
        world.start("m1");
        world.put(Facts.rejected(world.pod("m2")));
        world.put(Facts.grouped("m3", "gang", 1000, 64));
        world.advance(Duration.ofSeconds(1));
        world.start("m3");
        world.advance(Duration.ofMinutes(1));
        assertTrue(world.all(Effect.RollBack.class).isEmpty());
        assertTrue(world.saved.isEmpty());
    }

    @Test
    void E14_a_member_that_is_bound_stays_so_in_the_next_plan_though_no_cache_shows_it() {
        world.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.grouped("m1", "gang", 1000, 64));
        world.put(Facts.grouped("m2", "gang", 1000, 64));
        Effect.Bind first = world.all(Effect.Bind.class).getFirst();
        world.feed(new Event.Bound(first.pod().ref(), first.node()));
        world.objectGone("m2");
        world.put(Facts.grouped("m3", "gang", 1000, 64));
        assertEquals(1, world.all(Effect.ReplacePlan.class).size());
        List<String> bindings = world.all(Effect.Bind.class).stream()
                .map(bind -> bind.pod().ref().name())
                .toList();
        assertEquals(List.of("m1", "m2", "m3"), bindings);
    }

    @Test
    void E14_a_leader_that_takes_over_hands_over_too() {
        highIsBound();
        world.put(Facts.rejected(world.pod("high-1")));
        world.leaderStarts();
        assertFalse(strangerGetsIn());
        world.put(Facts.owned("high-2", SET, 1000, 64));
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("high-2").bound());
    }
}
