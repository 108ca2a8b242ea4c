package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.planner.PlannerSettings;
import org.junit.jupiter.api.Test;

/** A node where a pod, whole, gets a card through the vendor's own plugin (B12). */
final class MixedNodesTest {
    private final LoopWorld refusing = world(false);
    private final LoopWorld allowing = world(true);

    private static LoopWorld world(boolean allow) {
        PlannerSettings settings = new PlannerSettings(
                true, true, 5, 20, false, false, allow, PlannerSettings.DEFAULTS.waitForRelease());
        return new LoopWorld(LoopWorld.with(settings)).node("n0", 64, 64).leaderStarts();
    }

    private static void wholeIsBound(LoopWorld world) {
        world.put(Facts.bound(Facts.whole("whole"), "n0"));
    }

    private static void kubeletGivesItTheFirstCard(LoopWorld world) {
        AgentModel agent = world.agents.get("n0");
        agent.givesWhole(0, world.pod("whole").ref());
        world.report(agent);
    }

    private static int cardOf(LoopWorld world, String pod) {
        AgentModel agent = world.agents.get("n0");
        return agent.ledger
                .cards()
                .get(agent.ledger
                        .sharesOf(world.pod(pod).uid())
                        .getFirst()
                        .share()
                        .card())
                .index();
    }

    @Test
    void B12_nothing_new_comes_to_a_node_where_a_pod_holds_whole_cards() {
        wholeIsBound(refusing);
        kubeletGivesItTheFirstCard(refusing);
        refusing.put(Facts.pod("p", 0, 8, 0));
        assertFalse(refusing.pod("p").bound());
        refusing.objectGone("whole");
        assertTrue(refusing.pod("p").bound());
    }

    @Test
    void B12_where_it_is_allowed_the_other_cards_stay_open() {
        wholeIsBound(allowing);
        kubeletGivesItTheFirstCard(allowing);
        allowing.put(Facts.pod("p", 0, 40, 0));
        assertEquals(1, cardOf(allowing, "p"));
        allowing.put(Facts.pod("q", 0, 40, 0));
        assertFalse(allowing.pod("q").bound());
        String reason = allowing.reasons.get("q");
        assertTrue(reason.contains("n0: default/whole holds c0 whole"), reason);
    }

    @Test
    void B12_a_node_is_closed_until_its_agent_knows_which_card_was_given() {
        wholeIsBound(allowing);
        allowing.put(Facts.pod("p", 0, 8, 0));
        assertFalse(allowing.pod("p").bound());
        String reason = allowing.reasons.get("p");
        assertTrue(reason.contains("default/whole holds whole cards there"), reason);
        kubeletGivesItTheFirstCard(allowing);
        assertEquals(1, cardOf(allowing, "p"));
    }

    @Test
    void B12_nobody_is_evicted_from_a_card_that_is_held_whole() {
        allowing.put(Facts.pod("low", 0, 64, 0));
        allowing.put(Facts.pod("equal", 1000, 64, 0));
        assertEquals(0, cardOf(allowing, "low"));
        wholeIsBound(allowing);
        kubeletGivesItTheFirstCard(allowing);
        allowing.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(allowing.all(Effect.Evict.class).isEmpty());
        allowing.objectGone("whole");
        assertTrue(allowing.pod("low").terminating());
    }
}
