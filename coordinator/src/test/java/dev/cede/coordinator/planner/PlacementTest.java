package dev.cede.coordinator.planner;

import static dev.cede.coordinator.planner.PreemptionTest.assertSays;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.planner.Decision.NoRoom;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlacementTest {
    private static PlannerSettings policies(boolean cardSpread, boolean nodeSpread) {
        return new PlannerSettings(
                true,
                false,
                5,
                20,
                cardSpread,
                nodeSpread,
                false,
                PlannerSettings.DEFAULTS.waitForRelease());
    }

    @Test
    void threePodsOfHalfACardDoNotFitOnOne_B11() {
        World world = World.of("c0[192u]");
        assertEquals("A@n0/c0 B@n0/c0", world.plan("A(96u)", "B(96u)"));
        assertSays(
                world.plan("A(96u)", "B(96u)", "C(96u)"),
                "member 3 (default/C) finds no room for 96 units on 1 node (largest hole 0 units)");
    }

    @Test
    void allOfTheCoreTakesTheCardAlone_B35_B5() {
        String full = "c0[64u] A(p0,8u,100%)@c0";
        assertSays(World.of(full).plan("B(p0,8u,100%)"), "c0 has 0 % core free");
        assertSays(World.of(full).plan("C(p0,8u)"), "other isolation type on c0");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "B10 fullest fitting card | c0[64u] c1[64u] c2[64u] A(16u)@c1 B(60u)@c2"
                        + "| H(8u) | H@n0/c1",
                "B10 ties by index | c1[64u] c0[64u] | H(8u) | H@n0/c0",
                "B10 fullest node | n0/c0[64u] n1/c0[64u] A(8u)@n1/c0 | H(8u) | H@n1/c0",
                "A10 containers on different cards | c0[64u] c1[64u] A(40u)@c0 B(32u)@c1"
                        + "| H(24u+32u) | H@n0/c0+c1",
                "A10 types on different cards | c0[64u] c1[64u] | H(8u+8u,0%+5%) | H@n0/c0+c1",
                "A10 going back | c0[64u] c1[64u] A(40u)@c0 B(32u)@c1"
                        + "| H(20u+32u) | H@n0/c0+c1",
                "B2 a typed card takes its own | c0[64u] c1[64u] A(8u)@c0" + "| H(8u,5%) | H@n0/c1",
                "B9 not on a sick card | c0[64u,sick] c1[64u] | H(8u) | H@n0/c1",
                "B6 foreign use | c0[64u,foreign=32] c1[64u] | H(48u) | H@n0/c1",
                "A7 without shares | n0/c0[64u] A(8u)@n0/c0 n1/c0[64u] | H(p0) | H@n1",
                "V05 the two fullest fitting cards | c0[64u] c1[64u] c2[64u] c3[64u] A(32u)@c0"
                        + " B(48u)@c1 C(32u)@c2 | H(64u,cards=2) | H@n0/c0+c2",
                "A8 whichever is fuller, in the order of the cards | c0[64u] c1[64u] c2[64u]"
                        + " A(8u)@c0 B(16u)@c2 | H(64u,cards=2) | H@n0/c0+c2",
                "A8 all containers on the same cards | c0[64u] c1[64u] c2[64u] A(33u)@c0"
                        + "| H(40u+24u,cards=2) | H@n0/c1+c2+c1+c2",
                "A8 with core | c0[64u] c1[64u] c2[64u] A(1u,60%)@c0 B(1u)@c1 C(1u,10%)@c2"
                        + " | H(64u,40%,cards=2) | H@n0/c0+c2",
                "A8 of one node | n0/c0[64u] n0/c1[64u] n1/c0[64u] n1/c1[64u] A(48u)@n0/c0"
                        + " B(40u)@n1/c1 | H(40u,cards=2) | H@n1/c0+c1",
                "A8 a pod of several cards among others | c0[64u] c1[64u]"
                        + " A(64u,cards=2)@c0+c1 | H(16u) I(32u,cards=2) | H@n0/c0 I@n0/c0+c1",
                "E2 going back with a pod of several cards | n0/c0[64u] n0/c1[64u] n1/c0[64u]"
                        + " n1/c1[64u] A(8u)@n0/c0"
                        + "| X(80u,cards=2) Y(60u,selector=n0) | X@n1/c0+c1 Y@n0/c1",
                "node selector | n0/c0[64u] n1/c0[64u] | H(8u,selector=n1) | H@n1/c0",
                "E2 the larger first | c0[64u] c1[48u] | A(40u) B(56u) | A@n0/c1 B@n0/c0",
                "E2 going back over nodes | n0/c0[64u] n1/c0[64u] A(8u,5%)@n0/c0"
                        + "| X(40u,5%) Y(40u,selector=n1) | X@n0/c0 Y@n1/c0",
            })
    void takesTheFirstInRank(String name, String cluster, String asks, String plan) {
        assertEquals(plan, World.of(cluster).plan(asks.trim().split(" ", -1)), name);
    }

    @Test
    void spreadReversesBothOrders_B10() {
        String cluster = "n0/c0[64u] n0/c1[64u] n1/c0[64u] n1/c1[64u] A(8u)@n0/c0 B(16u)@n1/c0";
        assertEquals("H@n1/c0", World.of(cluster).plan("H(8u)"));
        assertEquals("H@n1/c1", World.of(cluster).with(policies(true, false)).plan("H(8u)"));
        assertEquals("H@n0/c0", World.of(cluster).with(policies(false, true)).plan("H(8u)"));
    }

    @Test
    void aDyingPodsUnitsAreNotFreeButTheRestOfTheCardIs_K02_V09() {
        String cluster = "c0[64u] c1[64u] L(48u,leaving=20)@c0 M(40u)@c1";
        assertEquals("H@n0/c0", World.of(cluster).plan("H(16u)"));
        assertEquals("H@n0/c1", World.of(cluster).plan("H(24u)"));
        assertEquals("H@n0/c0 after L", World.of(cluster).plan("H(32u)"));
    }

    @Test
    void theRoomOfAHoldIsForNobodyElse_V09_E8() {
        World world = World.of("c0[64u] V(32u,leaving=20)@c0").hold("H(p9,48u,unbound)@c0", "V");
        assertEquals("S@n0/c0", world.plan("S(16u)"));
        assertSays(world.plan("S(17u)"), "c0 has 16 of 64 units free", "held for default/H");
    }

    @Test
    void aHoldGivesItsTypeToTheCard_B2() {
        World world = World.of("c0[64u] V(32u,leaving=20)@c0").hold("H(p9,8u,5%,unbound)@c0", "V");
        assertSays(world.plan("S(8u)"), "other isolation type on c0");
        assertSays(world.plan("S(8u,5%)"), "other isolation type on c0");
    }

    @ParameterizedTest
    @CsvSource({
        "c0[16160MiB], H(128u), asks 128 units; the largest card has 126 (16160 MiB in units of 128"
                + " MiB)",
        "c0[8192MiB-210MiB], H(64u), asks 64 units; the largest card has 62 (8192 MiB less 210 MiB"
                + " kept by the driver)"
    })
    void aShareLargerThanAnyCardIsRefusedForGood_V10_A11(String card, String ask, String reason) {
        NoRoom noRoom = assertInstanceOf(
                NoRoom.class, World.of(card, "L(p0,8u)@c0").decide(ask.replace("(", "(p9,")));
        assertEquals(reason, noRoom.reason());
        assertTrue(noRoom.lasting());
    }

    @ParameterizedTest
    @CsvSource({
        "c0[64u] c1[64u], H(130u;cards=2), asks 65 units on each of 2 cards; the largest card has 64"
                + " (8192 MiB in units of 128 MiB)",
        "n0/c0[64u] n0/c1[64u] n1/c0[64u], H(24u;cards=3), asks 8 units on each of 3 cards of one"
                + " node; the most cards of that size on a node are 2",
        "c0[64u] c1[32u], H(40u+40u;cards=2), asks 40 units on each of 2 cards of one node; the most"
                + " cards of that size on a node are 1",
    })
    void moreCardsThanAnyNodeHasAreRefusedForGood_A8_A11(String cards, String ask, String reason) {
        NoRoom noRoom = assertInstanceOf(
                NoRoom.class, World.of(cards).decide(ask.replace("(", "(p9,").replace(';', ',')));
        assertEquals(reason, noRoom.reason());
        assertTrue(noRoom.lasting());
    }

    @Test
    void theReasonSaysOnHowManyCards_A8_A12() {
        assertSays(
                World.of("c0[64u] c1[64u] A(p9,40u)@c1").plan("H(p5,64u,50%,cards=2)"),
                "finds no room for 32 units and 25 % core on each of 2 cards",
                "other isolation type on c1");
    }

    @Test
    void aLargeShareIsNotRefusedForGoodWhileANodeIsUnknown_A11_C5() {
        NoRoom noRoom = assertInstanceOf(
                NoRoom.class, World.of("n0/c0[32u]").lost("n1", true).decide("H(64u)"));
        assertEquals(false, noRoom.lasting());
    }

    @Test
    void ordinaryResourcesBound_C8() {
        World world = World.of("c0[64u] L(8u,cpu=600)@c0")
                .allocatable("n0", Map.of("cpu", 1000L, "pods", 2L));
        assertEquals("H@n0/c0", world.plan("H(8u,cpu=400)"));
        assertSays(world.plan("H(8u,cpu=401)"), "n0: asks 401 milli-cpu, 400 left");
        assertSays(world.plan("H(8u)", "I(8u)"), "member 2", "asks 1 pods, 0 left");
    }

    @Test
    void everyRefusedNodeAndCardIsListed_E3() {
        NoRoom noRoom = assertInstanceOf(
                NoRoom.class,
                World.of("n0/c0[64u] n0/c1[64u,sick] n1/c0[64u] L(p9,60u)@n0/c0")
                        .lost("n1", false)
                        .decide("H(p5,8u)"));
        assertEquals(3, noRoom.refusals().size());
        assertEquals(
                "finds no room for 8 units on 2 nodes (largest hole 4 units);"
                        + " n0: c0 has 4 of 64 units free (default/L has priority 9, not below 5);"
                        + " n0: c1 takes nothing new: Xid 79; n1: its agent is away",
                noRoom.reason());
    }

    @Test
    void foreignUseIsNamedAndNeverAVictim_B6() {
        assertSays(
                World.of("c0[64u,foreign=32]").plan("H(p9,48u)"),
                "c0 has 32 of 64 units free, 32 units used from outside");
    }
}
