package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Calls that may still arrive, of a leader before or of our own, and terms above ours. */
final class FencingTest {
    private final LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    private static List<String> fenced(LoopWorld world) {
        return world.all(Effect.Fence.class).stream()
                .map(fence -> fence.pod().ref().name())
                .toList();
    }

    /** The fence that was sent is answered now. */
    private static void fenceArrives(LoopWorld world, String name) {
        Epoch epoch = world.all(Effect.Fence.class).getLast().epoch();
        PodFacts pod = world.put(Facts.fenced(world.pod(name), epoch));
        world.feed(new Event.Fenced(pod));
    }

    private static boolean isReserved(LoopWorld world, String node, String pod) {
        return world.agents.get(node).ledger.reservations().containsKey("uid-" + pod);
    }

    /** A leader died with a Binding to the returned node on its way, and the next knows another. */
    private static String twoPlacesForOnePod(LoopWorld two) {
        two.unanswered.add(Effect.Bind.class);
        two.put(Facts.pod("p", 0, 48, 0));
        String first = isReserved(two, "n0", "p") ? "n0" : "n1";
        two.away.add(first);
        two.unanswered.add(Effect.Fence.class);
        two.leaderStarts();
        two.attach(two.agents.get(first));
        return first;
    }

    private static LoopWorld twoNodes() {
        return LoopWorld.topologyAware(true).node("n0", 64).node("n1", 64).leaderStarts();
    }

    @Test
    void B13_an_old_leaders_reservation_is_kept_until_its_Binding_cannot_arrive_any_more() {
        LoopWorld two = twoNodes();
        String first = twoPlacesForOnePod(two);
        assertTrue(isReserved(two, first, "p"));
        assertEquals(List.of("p"), fenced(two));
        fenceArrives(two, "p");
        assertFalse(isReserved(two, first, "p"));
    }

    @Test
    void B13_an_old_leaders_Binding_that_arrives_before_the_fence_finds_its_room() {
        LoopWorld two = twoNodes();
        String first = twoPlacesForOnePod(two);
        two.put(Facts.bound(two.pod("p"), first));
        assertTrue(isReserved(two, first, "p"));
        two.start("p");
        String other = first.equals("n0") ? "n1" : "n0";
        assertFalse(isReserved(two, other, "p"));
    }

    @Test
    void E8_a_place_whose_Binding_was_not_answered_is_taken_only_after_a_fence() {
        one.unanswered.add(Effect.Fence.class);
        one.bindFailures.add(new ApiFailure(500, "timeout"));
        one.put(Facts.pod("low", 0, 64, 0));
        one.put(Facts.pod("high", 1000, 64, 0));
        assertEquals(List.of("low"), fenced(one));
        assertTrue(isReserved(one, "n0", "low"));
        assertFalse(one.pod("high").bound());
        fenceArrives(one, "low");
        assertTrue(one.pod("high").bound());
    }

    /** Nobody can say whether that Binding failed or is merely late. */
    @Test
    void E8_a_late_Binding_of_the_loser_is_honoured() {
        one.unanswered.add(Effect.Fence.class);
        one.bindFailures.add(new ApiFailure(0, "no answer"));
        one.put(Facts.pod("low", 0, 64, 0));
        one.put(Facts.pod("high", 1000, 64, 0));
        one.put(Facts.bound(one.pod("low"), "n0"));
        one.start("low");
        assertFalse(one.pod("high").bound());
        one.advance(Duration.ofSeconds(1));
        assertEquals(1, one.all(Effect.Evict.class).size(), "high preempts it like anybody else");
    }

    @Test
    void E13_a_saved_plan_is_closed_only_after_its_victims_and_members_are_fenced() {
        one.put(Facts.pod("low", 0, 64, 0));
        one.unanswered.add(Effect.Evict.class);
        one.put(Facts.pod("high", 1000, 64, 0));
        one.unanswered.add(Effect.Fence.class);
        one.leaderStarts();
        one.put(Facts.terminating(one.pod("high"), one.now));
        assertEquals(List.of("low"), fenced(one), "nothing is bound that is being deleted");
        fenceArrives(one, "low");
        assertEquals(1, one.saved.size(), "an eviction of the new leader's is on its way");
        one.feed(new Event.EvictFailed(one.pod("low").ref(), new ApiFailure(409, "changed")));
        assertTrue(one.saved.isEmpty());
        assertFalse(one.pod("low").terminating());
    }

    @Test
    void E13_a_plan_that_has_sent_nothing_is_closed_at_once() {
        one.put(Facts.pod("low", 0, 64, 0));
        one.refuseReserves = true;
        one.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(one.saved.isEmpty());
        assertTrue(fenced(one).isEmpty());
    }

    @Test
    void a_fence_that_meets_another_version_is_written_to_the_pod_as_it_is() {
        one.put(Facts.pod("low", 0, 64, 0));
        one.unanswered.add(Effect.Evict.class);
        one.put(Facts.pod("high", 1000, 64, 0));
        PodFacts low = one.pod("low");
        one.pods.put("low", Facts.told(low, "unseen by the watch"));
        one.put(Facts.terminating(one.pod("high"), one.now));
        one.unanswered.add(Effect.ReadPod.class);
        one.feed(new Event.EvictFailed(low.ref(), new ApiFailure(0, "no answer")));
        one.unanswered.clear();
        one.feed(new Event.PodRead(low.ref(), Optional.of(one.pod("low"))));
        assertEquals(List.of("low", "low"), fenced(one));
        assertTrue(one.saved.isEmpty());
    }

    @Test
    void B72_a_pod_with_the_fence_of_a_larger_epoch_is_the_end_of_the_term() {
        one.put(Facts.fenced(Facts.pod("p", 0, 16, 0), new Epoch(7)));
        assertEquals(
                List.of(new Effect.StepDown(new Epoch(1), new Epoch(7))),
                one.all(Effect.StepDown.class));
        assertTrue(one.all(Effect.Send.class).stream()
                .noneMatch(send -> send.order() instanceof Order.Reserve));
    }

    @Test
    void a_term_that_begins_below_a_fence_ends() {
        one.put(Facts.fenced(Facts.pod("p", 0, 16, 0), new Epoch(1)));
        one.pods.put("p", Facts.fenced(one.pod("p"), new Epoch(7)));
        one.leaderStarts();
        assertEquals(
                List.of(new Effect.StepDown(new Epoch(2), new Epoch(7))),
                one.all(Effect.StepDown.class));
    }

    @Test
    void B72_an_agent_that_has_seen_a_larger_epoch_is_the_end_of_the_term() {
        AgentModel agent = one.agents.get("n0");
        NodeReport now = agent.report();
        one.feed(new Event.AgentReported(
                "n0",
                agent.stream,
                new NodeReport(
                        now.node(),
                        now.instance(),
                        now.version() + 1,
                        new Epoch(7),
                        now.takesBinds(),
                        now.takesBindsReason(),
                        now.cards(),
                        now.shares(),
                        now.reservations(),
                        now.releases(),
                        now.drifts())));
        assertEquals(1, one.all(Effect.StepDown.class).size());
        one.put(Facts.pod("p", 0, 16, 0));
        assertFalse(one.pod("p").bound());
    }
}
