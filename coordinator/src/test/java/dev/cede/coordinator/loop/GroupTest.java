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
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which members of a workload start together (E1). */
final class GroupTest {
    private static final GroupRef GANG = new GroupRef(GroupRef.Kind.VOLCANO, "default", "gang");
    private static final OwnerRef SET = new OwnerRef("ReplicaSet", "set", "uid-set");

    private final LoopWorld world = LoopWorld.topologyAware(true)
            .node("n0", 64)
            .node("n1", 64)
            .node("n2", 64)
            .leaderStarts();

    private void gang(int minMember) {
        world.feed(new Event.GroupSeen(GroupFacts.of(GANG, minMember)));
    }

    private void member(LoopWorld of, int number) {
        of.put(Facts.grouped("m" + number, "gang", 1000, 64));
    }

    private void members(int from, int to) {
        for (int i = from; i <= to; i++) {
            member(world, i);
        }
    }

    private long bound(LoopWorld of) {
        return of.pods.values().stream().filter(pod -> pod.bound()).count();
    }

    @Test
    void below_its_minimum_nothing_of_a_group_starts_and_it_says_how_many_are_missing() {
        gang(3);
        members(1, 2);
        world.advance(Duration.ofMinutes(1));
        assertEquals(0, bound(world));
        assertEquals(
                "Unschedulable: Volcano PodGroup default/gang has 2 of the 3 members that it"
                        + " starts with (minMember)",
                world.reasons.get("m1"));
        members(3, 3);
        assertEquals(3, bound(world));
    }

    @Test
    void a_group_that_nobody_made_is_waited_for() {
        members(1, 3);
        assertEquals(
                "Unschedulable: Volcano PodGroup default/gang does not exist",
                world.reasons.get("m1"));
        gang(3);
        assertEquals(3, bound(world));
    }

    @Test
    void a_group_that_fits_in_part_only_starts_in_no_part() {
        world.put(Facts.pod("equal", 1000, 64, 0));
        gang(3);
        members(1, 3);
        world.advance(Duration.ofMinutes(1));
        assertEquals(1, bound(world), "equal alone");
        assertTrue(world.reasons.get("m1").contains("m3"), world.reasons.get("m1"));
        world.put(Facts.terminating(world.pod("equal"), world.now));
        world.finalPhase("equal");
        world.driverEmpty("equal");
        assertEquals(
                3,
                world.pods.values().stream()
                        .filter(pod -> pod.ref().name().startsWith("m") && pod.bound())
                        .count());
    }

    @Test
    void members_beyond_the_minimum_join_as_there_is_room() {
        gang(2);
        members(1, 4);
        assertEquals(3, bound(world));
        assertFalse(world.pod("m4").bound());
    }

    @Test
    void E1_a_member_beyond_the_minimum_does_not_start_before_the_first_ones_may() {
        world.unanswered.add(Effect.SavePlan.class);
        gang(2);
        members(1, 3);
        assertEquals(0, bound(world));
        assertEquals(
                "Unschedulable: those that its group starts with do not start yet",
                world.reasons.get("m3"));
    }

    @Test
    void E1_members_that_fit_nowhere_leave_the_start_to_those_that_fit() {
        gang(2);
        world.put(Facts.grouped("m1", "gang", 1000, 65));
        members(2, 3);
        assertTrue(world.pod("m2").bound() && world.pod("m3").bound());
    }

    @Test
    void E8_a_member_beyond_the_minimum_does_not_take_over_what_is_held_for_its_own_group() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.feed(new Event.GroupSeen(GroupFacts.of(GANG, 2)));
        one.slowAgents = true;
        one.put(Facts.grouped("m1", "gang", 0, 32));
        one.put(Facts.grouped("m2", "gang", 0, 32));
        one.put(Facts.grouped("m3", "gang", 1000, 64));
        one.ordersArrive();
        assertTrue(one.pod("m1").bound() && one.pod("m2").bound());
        assertFalse(one.pod("m3").bound());
    }

    @Test
    void A12_members_beyond_the_minimum_say_why_they_wait_where_the_first_have_no_place() {
        world.put(Facts.pod("equal", 1000, 64, 0));
        gang(3);
        members(1, 4);
        assertEquals(
                "Unschedulable: the first 3 members of its group have no place yet",
                world.reasons.get("m4"));
    }

    @Test
    void a_group_is_placed_by_one_saved_plan_even_without_victims() {
        gang(3);
        members(1, 3);
        List<Effect.SavePlan> saved = world.all(Effect.SavePlan.class);
        assertEquals(1, saved.size());
        assertEquals(3, saved.getFirst().plan().placements().size());
        assertEquals(List.of(), saved.getFirst().plan().victims());
        assertTrue(world.saved.isEmpty(), "closed when all have started");
    }

    @Test
    void a_group_evicts_for_all_of_its_members_or_for_none() {
        List.of("a", "b", "c").forEach(name -> world.put(Facts.pod(name, 0, 64, 0)));
        gang(4);
        members(1, 4);
        world.advance(Duration.ofMinutes(1));
        assertEquals(List.of(), world.all(Effect.Evict.class));
        gang(3);
        assertEquals(3, world.all(Effect.Evict.class).size());
    }

    @Test
    void E13_what_is_left_of_a_group_below_its_minimum_gets_no_successor_plan() {
        List.of("a", "b", "c").forEach(name -> world.put(Facts.pod(name, 0, 64, 0)));
        gang(3);
        members(1, 3);
        assertEquals(3, world.all(Effect.Evict.class).size());
        world.objectGone("m3");
        for (String victim : List.of("a", "b", "c")) {
            world.finalPhase(victim);
            world.driverEmpty(victim);
        }
        assertFalse(world.pod("m1").bound() || world.pod("m2").bound());
        members(4, 4);
        assertTrue(world.pod("m1").bound() && world.pod("m2").bound());
    }

    @Test
    void E14_a_member_whose_Binding_was_on_its_way_is_not_left_alone() {
        world.unanswered.add(Effect.Bind.class);
        gang(2);
        members(1, 2);
        world.objectGone("m2");
        assertEquals(
                List.of(), world.all(Effect.ReplacePlan.class), "m1 may be bound at any moment");
        world.unanswered.clear();
        String node = world.all(Effect.Bind.class).getFirst().node();
        world.put(Facts.bound(world.pod("m1"), node));
        world.advance(Duration.ofSeconds(30));
        assertTrue(world.pod("m1").terminating());
        assertTrue(world.saved.isEmpty());
        world.driverEmpty("m1");
        world.finalPhase("m1");
        members(3, 4);
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("m3").bound() && world.pod("m4").bound());
    }

    @Test
    void E1_a_Binding_that_failed_is_not_sent_again_while_the_group_is_short() {
        world.bindFailures.add(new ApiFailure(500, "broken"));
        world.unanswered.add(Effect.ReadPod.class);
        gang(2);
        members(1, 1);
        world.kubeletStarts = false;
        members(2, 2);
        world.put(Facts.rejected(world.pod("m2")));
        world.unanswered.clear();
        world.feed(new Event.PodRead(world.pod("m1").ref(), Optional.of(world.pod("m1"))));
        world.advance(Duration.ofMinutes(1));
        assertFalse(world.pod("m1").bound());
        members(3, 3);
        assertTrue(world.pod("m1").bound() && world.pod("m3").bound());
    }

    @Test
    void E1_a_plan_for_a_member_beyond_the_minimum_ends_with_the_place_of_the_first_ones() {
        List.of("a", "b", "c").forEach(name -> world.put(Facts.pod(name, 0, 64, 0)));
        gang(2);
        members(1, 2);
        members(3, 3);
        world.kubeletStarts = false;
        for (String victim : List.of("a", "b")) {
            world.finalPhase(victim);
            world.driverEmpty(victim);
        }
        assertTrue(world.pod("m1").bound() && world.pod("m2").bound());
        world.put(Facts.rejected(world.pod("m1")));
        world.put(Facts.rejected(world.pod("m2")));
        world.finalPhase("c");
        world.driverEmpty("c");
        assertFalse(world.pod("m3").bound(), "while others may take the places");
        world.advance(Duration.ofMinutes(1));
        assertFalse(world.pod("m3").bound());
        assertTrue(world.saved.isEmpty());
    }

    private void volcano(String phase, String version) {
        world.feed(new Event.GroupSeen(new GroupFacts(GANG, 2, phase, version)));
    }

    private List<String> moves() {
        return world.all(Effect.MoveGroup.class).stream()
                .map(move -> move.phase() + " of " + move.group().version())
                .toList();
    }

    @Test
    void E1_Volcanos_groups_are_let_in_so_that_their_pods_are_made_and_run_once_they_are_placed() {
        volcano("Pending", "1");
        volcano("Inqueue", "2");
        members(1, 1);
        assertEquals(List.of("Inqueue of 1"), moves());
        members(2, 2);
        assertEquals(List.of("Inqueue of 1", "Running of 2"), moves());
        volcano("Running", "3");
        assertEquals(2, moves().size());
    }

    @Test
    void E12_a_phase_that_was_not_written_is_written_again_after_the_back_off() {
        volcano("", "1");
        world.feed(new Event.GroupNotMoved(GANG, new ApiFailure(500, "broken")));
        assertEquals(List.of("Inqueue of 1"), moves());
        world.advance(Duration.ofSeconds(1));
        assertEquals(List.of("Inqueue of 1", "Inqueue of 1"), moves());
        world.feed(new Event.GroupNotMoved(GANG, new ApiFailure(409, "changed")));
        world.advance(Duration.ofMinutes(1));
        assertEquals(2, moves().size(), "the changed group tells");
    }

    @Test
    void A7_groups_are_left_to_Volcano_where_its_name_is_not_ours() {
        OurNames cede = new OurNames(new TreeSet<>(List.of("cede")), true);
        LoopWorld other = new LoopWorld(LoopWorld.with(cede)).leaderStarts();
        other.feed(new Event.GroupSeen(new GroupFacts(GANG, 2, "Pending", "1")));
        assertEquals(List.of(), other.all(Effect.MoveGroup.class));
    }

    @Test
    void the_strict_policy_lets_fitting_members_wait_for_the_others() {
        LoopWorld strict = policy(WorkloadPolicy.STRICT);
        strict.put(Facts.pod("equal", 1000, 64, 0));
        strict.owner(SET, 2);
        strict.put(Facts.owned("s1", SET, 1000, 64));
        strict.put(Facts.owned("s2", SET, 1000, 64));
        strict.advance(Duration.ofMinutes(1));
        assertEquals(1, bound(strict), "equal alone");
    }

    @Test
    void E13_a_hold_behind_a_pod_that_stays_after_all_is_not_taken_for_a_free_place() {
        LoopWorld one = new LoopWorld(LoopWorld.with(WorkloadPolicy.STRICT))
                .node("n0", 64)
                .leaderStarts();
        one.put(Facts.pod("low", 0, 32, 0));
        one.owner(SET, 2);
        one.unanswered.add(Effect.Evict.class);
        one.put(Facts.owned("s1", SET, 1000, 32));
        one.put(Facts.owned("s2", SET, 1000, 32));
        one.objectGone("s1");
        one.advance(Duration.ofSeconds(30));
        one.feed(new Event.EvictFailed(one.pod("low").ref(), new ApiFailure(500, "broken")));
        one.advance(Duration.ofSeconds(10));
        assertFalse(one.pod("low").terminating());
        assertTrue(one.pod("s2").bound());
    }

    @Test
    void E8_a_place_that_was_lost_and_is_planned_again_is_reserved_again() {
        List.of("a", "b", "c").forEach(name -> world.put(Facts.pod(name, 0, 64, 0)));
        gang(2);
        world.put(Facts.grouped("m1", "gang", 100, 64));
        world.put(Facts.grouped("m2", "gang", 100, 64));
        world.slowAgents = true;
        world.put(Facts.pod("high", 1000, 64, 0));
        world.ordersArrive();
        for (String victim : List.of("a", "b", "c")) {
            world.finalPhase(victim);
            world.driverEmpty(victim);
        }
        assertTrue(world.pod("high").bound());
        assertTrue(world.pod("m1").bound() && world.pod("m2").bound());
    }

    @Test
    void by_default_a_fitting_member_of_an_owner_starts_at_once() {
        LoopWorld all = policy(WorkloadPolicy.ALL);
        all.put(Facts.pod("equal", 1000, 64, 0));
        all.owner(SET, 2);
        all.put(Facts.owned("s1", SET, 1000, 64));
        all.put(Facts.owned("s2", SET, 1000, 64));
        assertEquals(2, bound(all));
    }

    @Test
    void with_min_available_a_member_evicts_for_itself() {
        for (WorkloadPolicy policy : List.of(WorkloadPolicy.ALL, WorkloadPolicy.MIN_AVAILABLE)) {
            LoopWorld two = policy(policy);
            two.put(Facts.pod("equal", 1000, 64, 0));
            two.put(Facts.pod("low", 0, 64, 0));
            two.owner(SET, 2);
            two.put(Facts.owned("s1", SET, 1000, 64));
            two.put(Facts.owned("s2", SET, 1000, 64));
            int evicted = two.all(Effect.Evict.class).size();
            assertEquals(policy == WorkloadPolicy.ALL ? 0 : 1, evicted, policy::name);
        }
    }

    private static LoopWorld policy(WorkloadPolicy policy) {
        return new LoopWorld(LoopWorld.with(policy))
                .node("n0", 64)
                .node("n1", 64)
                .leaderStarts();
    }
}
