package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Another scheduler uses a name of ours (A7): when that is certain, and when it is not. */
final class TwoSchedulersTest {
    private static final Duration ATTACH = LoopWorld.SETTINGS.attachTimeout();

    private final LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();

    /** {@code stolen} waits for room, which {@code low} has. */
    private void stolenWaits() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.pod("stolen", 0, 64, 0));
        assertFalse(world.pod("stolen").bound());
    }

    private void rivalBinds() {
        stolenWaits();
        world.put(Facts.bound(world.pod("stolen"), "n0"));
    }

    private void n0Reports() {
        world.report(world.agents.get("n0"));
    }

    private boolean isFound() {
        return !world.all(Effect.Announce.class).isEmpty();
    }

    private boolean nextIsTaken() {
        ExplainedState.joins(world, "n1", 64);
        world.put(Facts.pod("next", 0, 64, 0));
        return world.pod("next").bound();
    }

    private void timePasses() {
        world.advance(ATTACH);
        n0Reports();
    }

    @Test
    void A7_a_pod_that_another_binds_and_no_books_know_ends_the_use_of_that_name() {
        rivalBinds();
        n0Reports();
        world.advance(ATTACH);
        List<Effect.Announce> told = world.all(Effect.Announce.class);
        assertEquals(1, told.size());
        assertEquals("stolen", told.getFirst().pod().name());
        assertTrue(told.getFirst().message().contains("scheduler_names"));
        assertFalse(nextIsTaken());
        assertEquals(
                List.of(
                        "is not taken: another scheduler uses the schedulerName volcano, as it bound"
                                + " default/stolen; no pod of that name is taken until scheduler_names is"
                                + " set in the configuration"),
                ExplainedState.explain(world, "next").getSentencesList());
    }

    @Test
    void A7_it_is_said_once() {
        rivalBinds();
        timePasses();
        world.put(Facts.pod("another", 0, 64, 0));
        world.put(Facts.bound(world.pod("another"), "n0"));
        timePasses();
        timePasses();
        assertEquals(1, world.all(Effect.Announce.class).size());
    }

    @Test
    void A7_a_pod_that_kubelet_refused_for_it_tells_as_much() {
        rivalBinds();
        world.put(Facts.rejected(world.pod("stolen")));
        timePasses();
        assertTrue(isFound());
    }

    @Test
    void A7_nothing_is_concluded_at_once() {
        rivalBinds();
        n0Reports();
        world.advance(ATTACH.minusMillis(1));
        assertFalse(isFound());
        assertTrue(nextIsTaken());
    }

    @Test
    void A7_nothing_is_concluded_before_the_agent_reports() {
        rivalBinds();
        world.advance(ATTACH);
        assertFalse(isFound());
        n0Reports();
        assertTrue(isFound());
    }

    @Test
    void A7_nothing_is_concluded_while_the_agent_of_the_node_is_away() {
        rivalBinds();
        n0Reports();
        world.detach("n0");
        world.advance(ATTACH.multipliedBy(2));
        assertFalse(isFound());
        world.attach(world.agents.get("n0"));
        assertTrue(isFound());
    }

    @Test
    void A7_a_pod_that_is_bound_when_it_is_first_seen_tells_nothing() {
        world.put(Facts.bound(Facts.pod("static", 0, 64, 0), "n0"));
        timePasses();
        assertFalse(isFound());
        assertTrue(nextIsTaken());
    }

    @Test
    void A7_a_pod_without_shares_is_in_no_books_anyway() {
        stolenWaits();
        world.unanswered.add(Effect.Bind.class);
        PodFacts plain = Oddities.withoutShares(Facts.pod("plain", 0, 1, 0));
        world.put(Oddities.gated(plain));
        world.put(Facts.bound(plain, "n0"));
        timePasses();
        assertFalse(isFound());
    }

    @Test
    void A7_a_Binding_of_an_earlier_leader_is_known_by_its_annotation() {
        stolenWaits();
        Map<String, String> cards = Map.of(Binder.CARDS_ANNOTATION, "c=GPU-0:64u");
        world.put(Facts.annotated(Facts.bound(world.pod("stolen"), "n0"), cards));
        timePasses();
        assertFalse(isFound());
        assertTrue(nextIsTaken());
    }

    @Test
    void A7_a_Binding_of_an_earlier_leader_is_known_by_its_reservation() {
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.pod("ours", 0, 64, 0));
        world.away.add("n0");
        world.leaderStarts();
        world.kubeletStarts = false;
        world.put(Facts.bound(world.pod("ours"), "n0"));
        world.advance(ATTACH);
        world.attach(world.agents.get("n0"));
        timePasses();
        assertFalse(isFound());
    }

    @Test
    void A7_a_Binding_of_an_earlier_leader_is_known_by_the_shares_that_came_of_it() {
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.pod("ours", 0, 64, 0));
        world.away.add("n0");
        world.leaderStarts();
        world.put(Facts.bound(world.pod("ours"), "n0"));
        world.agents.get("n0").allocate(world.pod("ours").ref(), 64);
        world.attach(world.agents.get("n0"));
        timePasses();
        assertFalse(isFound());
    }

    @Test
    void A7_nothing_is_concluded_from_a_pod_that_is_over_or_leaves() {
        rivalBinds();
        world.put(Facts.phase(world.pod("stolen"), PodPhase.SUCCEEDED));
        world.put(Facts.pod("leaving", 0, 64, 0));
        world.put(Facts.bound(world.pod("leaving"), "n0"));
        world.put(Facts.terminating(world.pod("leaving"), world.now));
        timePasses();
        assertFalse(isFound());
    }

    @Test
    void A7_what_is_seen_while_nothing_may_be_started_tells_nothing() {
        stolenWaits();
        world.feed(new Event.LeadershipSuspended());
        world.put(Facts.bound(world.pod("stolen"), "n0"));
        world.feed(new Event.LeadershipResumed());
        timePasses();
        assertFalse(isFound());
    }

    @Test
    void A7_an_operator_who_names_the_schedulers_vouches_for_them() {
        OurNames given = new OurNames(LoopWorld.SETTINGS.schedulerNames().names(), true);
        world.leaderStarts(LoopWorld.with(given));
        rivalBinds();
        timePasses();
        assertFalse(isFound());
        assertTrue(nextIsTaken());
    }
}
