package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.PlannerSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A preemption from the decision to the winner's start, and what can go wrong on its way. */
final class PreemptionTest {
    private final LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    private void lowRunsHighArrives() {
        world.put(Facts.pod("low", 0, 64, 0));
        assertTrue(world.pod("low").bound());
        world.put(Facts.pod("high", 1000, 64, 50));
    }

    @Test
    void B55_the_documented_example_evicts_the_low_pod_and_binds_the_high_one_after_the_release() {
        lowRunsHighArrives();
        assertTrue(world.pod("low").terminating());
        assertEquals("n0", world.pod("high").nominatedNode().orElseThrow());
        assertFalse(world.pod("high").bound());

        world.finalPhase("low");
        assertFalse(world.pod("high").bound(), "the driver still shows the victim");
        world.driverEmpty("low");

        assertEquals("n0", world.pod("high").nodeName().orElseThrow());
        assertTrue(world.saved.isEmpty(), "the plan is closed once the winner runs");
    }

    @Test
    void K06_the_release_report_is_answered_by_the_Binding_while_time_stands_still() {
        lowRunsHighArrives();
        world.finalPhase("low");
        var before = world.now;
        world.driverEmpty("low");
        assertEquals(1, bindsOf("high"));
        assertEquals(before, world.now);
    }

    @Test
    void K05_preemption_is_considered_in_the_decision_that_finds_the_card_full() {
        world.put(Facts.pod("low", 0, 64, 0));
        var before = world.now;
        world.put(Facts.pod("high", 1000, 64, 50));
        assertEquals(1, world.all(Effect.Evict.class).size());
        assertEquals(before, world.now);
    }

    @Test
    void E9_memory_that_is_gone_before_the_final_phase_does_not_start_the_winner() {
        lowRunsHighArrives();
        world.driverEmpty("low");
        assertFalse(world.pod("high").bound(), "kubelet has not let go of the devices");
        world.finalPhase("low");
        assertTrue(world.pod("high").bound());
    }

    @Test
    void E9_an_object_that_is_gone_counts_only_after_a_read_past_the_caches() {
        lowRunsHighArrives();
        world.unanswered.add(Effect.ReadPod.class);
        world.driverEmpty("low");
        var ref = world.pod("low").ref();
        world.objectGone("low");
        assertFalse(world.pod("high").bound());
        world.feed(new Event.PodRead(ref, java.util.Optional.empty()));
        assertTrue(world.pod("high").bound());
    }

    /** Kubelet, which hears of it last, may be about to start it. */
    @Test
    void E9_a_pod_that_goes_before_it_has_started_keeps_its_share_for_three_seconds() {
        lowRunsHighArrives();
        world.put(Facts.phase(world.pod("low"), PodPhase.PENDING));
        world.driverEmpty("low");
        world.objectGone("low");
        world.advance(Duration.ofMillis(2_999));
        assertFalse(world.pod("high").bound());
        world.advance(Duration.ofMillis(1));
        assertTrue(world.pod("high").bound());
    }

    @Test
    void E7_nobody_is_evicted_before_the_plan_is_saved() {
        world.unanswered.add(Effect.SavePlan.class);
        lowRunsHighArrives();
        assertTrue(world.all(Effect.Evict.class).isEmpty());
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty(), "nor is anything held");

        SavedPlan plan = world.all(Effect.SavePlan.class).get(0).plan();
        world.feed(new Event.PlanSaved(plan.id()));
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void E7_nobody_is_evicted_before_the_agent_holds_the_room() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.unanswered.add(Effect.Send.class);
        world.put(Facts.pod("high", 1000, 64, 50));
        assertEquals(1, world.saved.size());
        assertTrue(world.all(Effect.Evict.class).isEmpty());
    }

    @Test
    void a_plan_that_was_not_saved_is_forgotten_and_tried_again_after_the_back_off() {
        world.unanswered.add(Effect.SavePlan.class);
        lowRunsHighArrives();
        String id = world.all(Effect.SavePlan.class).get(0).plan().id();
        world.unanswered.clear();
        world.feed(new Event.PlanNotSaved(id, "no quorum"));
        assertTrue(world.all(Effect.Evict.class).isEmpty());
        world.advance(Duration.ofSeconds(1));
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void C6_B64_no_further_victims_while_the_first_one_leaves() {
        world.put(Facts.pod("a", 0, 32, 0));
        world.put(Facts.pod("b", 0, 32, 0));
        world.put(Facts.pod("high", 1000, 32, 0));
        for (int i = 0; i < 10; i++) {
            world.advance(Duration.ofSeconds(2));
            world.report(world.agents.get("n0"));
        }
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void E8_lower_or_equal_priority_does_not_take_the_room_that_is_held() {
        lowRunsHighArrives();
        world.put(Facts.pod("low-again", 0, 64, 0));
        world.put(Facts.pod("equal", 1000, 64, 0));
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertFalse(world.pod("low-again").bound());
        assertFalse(world.pod("equal").bound());
    }

    @Test
    void E11_the_victims_replacement_is_woken_when_the_winner_has_left() {
        lowRunsHighArrives();
        world.put(Facts.pod("low-again", 0, 64, 0));
        world.finalPhase("low");
        world.driverEmpty("low");
        world.finalPhase("high");
        assertFalse(world.pod("low-again").bound());
        world.driverEmpty("high");
        assertTrue(world.pod("low-again").bound());
    }

    @Test
    void D5_with_the_switch_off_the_high_pod_waits_and_turning_it_on_starts_it() {
        LoopWorld off = LoopWorld.topologyAware(false).node("n0", 64).leaderStarts();
        off.put(Facts.pod("low", 0, 64, 0));
        off.put(Facts.pod("high", 1000, 64, 50));
        assertTrue(off.all(Effect.Evict.class).isEmpty());
        String reason = off.reasons.get("high");
        assertTrue(reason.contains("isolation type"), reason);
        assertTrue(reason.contains("enable_topology_aware_preemption"), reason);

        PlannerSettings on = LoopWorld.SETTINGS.planner();
        off.settings(new PlannerSettings(
                true,
                true,
                on.coreStep(),
                on.maxSharesPerCard(),
                false,
                false,
                false,
                on.waitForRelease()));
        assertEquals(1, off.all(Effect.Evict.class).size());
    }

    @Test
    void E9_E13_an_overdue_release_closes_the_plan_names_the_process_and_takes_another_victim() {
        LoopWorld two = LoopWorld.topologyAware(true).node("n0", 64, 64).leaderStarts();
        two.put(Facts.pod("v0", 0, 64, 0));
        two.put(Facts.pod("v1", 5, 64, 0));
        two.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(two.pod("v0").terminating());
        two.finalPhase("v0");
        two.advance(Duration.ofSeconds(61));

        List<Effect.ReplacePlan> replaced = two.all(Effect.ReplacePlan.class);
        assertEquals(1, replaced.size());
        assertTrue(replaced.get(0).reason().contains("4242"), replaced.get(0).reason());
        assertTrue(two.pod("v1").terminating());
        two.finalPhase("v1");
        two.driverEmpty("v1");
        assertTrue(two.pod("high").bound());
    }

    @Test
    void E9_the_release_deadline_stands_still_while_the_agent_is_away() {
        LoopWorld two = LoopWorld.topologyAware(true).node("n0", 64, 64).leaderStarts();
        two.put(Facts.pod("v0", 0, 64, 0));
        two.put(Facts.pod("v1", 5, 64, 0));
        two.put(Facts.pod("high", 1000, 64, 0));
        two.finalPhase("v0");
        two.detach("n0");
        two.advance(Duration.ofMinutes(2));
        assertEquals(0, two.all(Effect.ReplacePlan.class).size());
        two.attach(two.agents.get("n0"));
        two.advance(Duration.ofSeconds(59));
        assertEquals(0, two.all(Effect.ReplacePlan.class).size());
        two.advance(Duration.ofSeconds(2));
        assertEquals(1, two.all(Effect.ReplacePlan.class).size());
    }

    @Test
    void E13_a_preemptor_that_is_deleted_gives_the_room_back() {
        lowRunsHighArrives();
        world.put(Facts.terminating(world.pod("high"), world.now));
        world.objectGone("high");
        assertTrue(world.saved.isEmpty());
        world.put(Facts.pod("next", 0, 64, 0));
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("next").bound());
    }

    @Test
    void E13_a_plan_is_closed_only_when_no_eviction_of_it_can_begin_any_more() {
        world.unanswered.add(Effect.Evict.class);
        lowRunsHighArrives();
        world.objectGone("high");
        assertEquals(1, world.saved.size());
        assertEquals(1, world.all(Effect.Evict.class).size());
        world.feed(new Event.EvictFailed(world.pod("low").ref(), new ApiFailure(500, "error")));
        assertTrue(world.saved.isEmpty());
        world.advance(Duration.ofSeconds(20));
        assertEquals(1, world.all(Effect.Evict.class).size());
    }

    @Test
    void E8_a_hold_is_taken_over_only_when_its_evictions_are_answered() {
        world.unanswered.add(Effect.Evict.class);
        lowRunsHighArrives();
        world.put(Facts.pod("top", 2000, 64, 0));
        assertEquals(List.of(), world.all(Effect.ReplacePlan.class));
        world.put(Facts.terminating(world.pod("low"), world.now));
        assertEquals(List.of(), world.all(Effect.ReplacePlan.class));
        world.feed(new Event.Evicted(world.pod("low").ref()));
        assertEquals(1, world.all(Effect.ReplacePlan.class).size());
    }

    @Test
    void a_failed_eviction_is_tried_again_after_the_back_off_and_never_counted_as_done() {
        world.unanswered.add(Effect.Evict.class);
        lowRunsHighArrives();
        var low = world.pod("low").ref();
        world.unanswered.clear();
        world.feed(new Event.EvictFailed(low, new ApiFailure(500, "etcd is away")));
        assertFalse(world.pod("low").terminating());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("low").terminating());
    }

    @Test
    void a_winner_that_is_gone_before_it_ran_ends_its_plan() {
        world.kubeletStarts = false;
        lowRunsHighArrives();
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("high").bound());
        assertEquals(1, world.saved.size());
        world.objectGone("high");
        assertTrue(world.saved.isEmpty());
        world.advance(Duration.ofSeconds(3));
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty());
    }

    @Test
    void E8_B62_a_strictly_higher_priority_takes_the_hold_over_and_the_loser_plans_again() {
        lowRunsHighArrives();
        world.put(Facts.pod("higher", 2000, 64, 0));
        assertEquals(1, world.all(Effect.Evict.class).size(), "nobody else is evicted for it");
        assertEquals(1, world.saved.size());
        assertTrue(world.pod("high").nominatedNode().isEmpty());
        world.finalPhase("low");
        world.driverEmpty("low");
        assertTrue(world.pod("higher").bound());
        assertFalse(world.pod("high").bound());

        world.finalPhase("higher");
        world.driverEmpty("higher");
        assertTrue(world.pod("high").bound());
    }

    @Test
    void E8_no_effect_of_the_loser_leaves_until_the_take_over_is_saved_or_not() {
        lowRunsHighArrives();
        world.unanswered.add(Effect.ReplacePlan.class);
        world.put(Facts.pod("higher", 2000, 64, 0));
        String winner = world.all(Effect.ReplacePlan.class).get(0).successor().id();
        world.finalPhase("low");
        world.driverEmpty("low");
        assertEquals(0, bindsOf("high"));
        assertEquals(0, bindsOf("higher"));

        world.feed(new Event.PlanNotSaved(winner, "no quorum"));
        assertTrue(world.pod("high").bound(), "its place is its own again");
        assertFalse(world.pod("higher").bound());
    }

    @Test
    void E8_a_hold_without_a_plan_stands_still_while_it_is_taken_over() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("high", 1000, 64, 50));
        one.put(Facts.pod("low", 0, 64, 0));
        one.put(Facts.terminating(one.pod("high"), one.now));
        one.unanswered.add(Effect.SavePlan.class);
        one.put(Facts.pod("high-again", 1000, 64, 50));
        one.finalPhase("high");
        one.driverEmpty("high");
        assertFalse(one.pod("low").bound());
    }

    @Test
    void E8_a_hold_without_a_plan_is_taken_over_too() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("high", 1000, 64, 50));
        one.put(Facts.pod("low", 0, 64, 0));
        one.put(Facts.terminating(one.pod("high"), one.now));
        assertEquals("n0", one.pod("low").nominatedNode().orElseThrow());
        one.put(Facts.pod("high-again", 1000, 64, 50));
        one.finalPhase("high");
        one.driverEmpty("high");
        assertTrue(one.pod("high-again").bound());
        assertEquals(0, one.all(Effect.Evict.class).size());
    }

    @Test
    void E8_a_hold_that_its_agent_has_not_answered_yet_is_taken_over_too() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("high", 1000, 64, 50));
        one.put(Facts.pod("low", 0, 64, 0));
        one.slowAgents = true;
        one.put(Facts.terminating(one.pod("high"), one.now));
        one.put(Facts.pod("high-again", 1000, 64, 50));
        one.ordersArrive();
        one.finalPhase("high");
        one.driverEmpty("high");
        assertTrue(one.pod("high-again").bound());
        assertFalse(one.pod("low").bound());
    }

    private long bindsOf(String name) {
        return world.all(Effect.Bind.class).stream()
                .filter(bind -> bind.pod().ref().name().equals(name))
                .count();
    }
}
