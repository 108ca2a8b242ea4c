package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PreemptionTest {
    private static final String TEN_SMALL =
            "c0[64u] L0(p0,6u)@c0 L1(p0,6u)@c0 L2(p0,6u)@c0 L3(p0,6u)@c0 L4(p0,6u)@c0"
                    + " L5(p0,6u)@c0 L6(p0,6u)@c0 L7(p0,6u)@c0 L8(p0,6u)@c0 L9(p0,6u)@c0";

    static void assertSays(String reason, String... parts) {
        for (String part : parts) {
            assertTrue(reason.contains(part), () -> "no \"" + part + "\" in: " + reason);
        }
    }

    private static Decision.Place place(Decision decision) {
        return assertInstanceOf(Decision.Place.class, decision, decision::toString);
    }

    @Test
    void theDocumentedExampleNeedsTheSwitch_B55_V01_D5() {
        String[] example = {"c0[64u]", "L(p0,64u)@c0"};
        assertEquals(
                "H@n0/c0 after L, evicting L",
                World.of(example).withSwitch(true).plan("H(p1000,64u,50%)"));
        assertSays(
                World.of(example).plan("H(p1000,64u,50%)"),
                "other isolation type on c0",
                "the switch enable_topology_aware_preemption would allow it");
        assertEquals("H@n0/c0 after L, evicting L", World.of(example).plan("H(p1000,64u)"));
    }

    @Test
    void theVictimsReasonNamesBothPodsAndBothPriorities() {
        Decision decision = World.of("c0[64u] L(p0,64u)@c0").withSwitch(true).decide("H(p9,8u,5%)");
        assertEquals(
                "priority 0 is below the 9 of default/H, which needs the room of its 64 units on"
                        + " c0, of another isolation type",
                place(decision).victims().getFirst().reason());
    }

    /** Name, cluster, switch, ask, plan. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                // B56: lowest priority first would take A and B.
                "B56 no useless victims | c0[64u] c1[64u] A(p0,16u)@c0 D(p1000,48u)@c0 B(p10,64u)@c1"
                        + "| off | H(p1000,64u) | H@n0/c1 after B, evicting B",
                "V02 one large, not two small | c0[64u] A(p0,16u)@c0 B(p0,16u)@c0 C(p0,32u)@c0"
                        + "| off | H(p5,32u) | H@n0/c0 after C, evicting C",
                "V03 another type goes whole | c0[64u] A(p0,8u)@c0 B(p0,8u)@c0 C(p0,8u)@c0"
                        + "| on | H(p5,16u,5%) | H@n0/c0 after A+B+C, evicting A B C",
                "V04 half and half: one | c0[64u] c1[64u] A(p0,32u)@c0 B(p0,32u)@c1"
                        + "| off | H(p5,64u) | H@n0/c0 after A, evicting A",
                "V11 node by highest victim | n0/c0[64u] n1/c0[64u] A(p3,64u)@n0/c0 B(p1,64u)@n1/c0"
                        + "| off | H(p5,64u) | H@n1/c0 after B, evicting B",
                "V12 sum enough, no card | c0[64u] c1[64u] A(p0,24u)@c0 B(p0,20u)@c0 C(p9,40u)@c1"
                        + "| off | H(p5,44u) | H@n0/c0 after A, evicting A",
                "D4 a victim frees all its cards | c0[64u] c1[64u] A(p0,64u+64u)@c0+c1"
                        + "| on | H(p5,64u) | H@n0/c0 after A, evicting A",
                "D2 on several cards | c0[64u] c1[64u] A(p0,64u)@c0 B(p1,64u)@c1"
                        + "| on | H(p5,40u+40u) | H@n0/c0+c1 after A+B, evicting A B",
                "D2 with mixed types | c0[64u] c1[64u] A(p0,64u)@c0 B(p1,8u,5%)@c1"
                        + "| on | H(p5,40u+8u,0%+5%) | H@n0/c0+c1 after A, evicting A",
                "D1 all containers on one card | c0[64u] c1[64u] A(p0,64u)@c0 B(p1,64u)@c1"
                        + "| off | H(p5,16u+40u) | H@n0/c0+c0 after A, evicting A",
                "V05 victims only where needed | c0[64u] c1[64u] c2[64u] A(p0,64u)@c0 B(p1,64u)@c1"
                        + "| on | H(p5,64u,cards=2) | H@n0/c0+c2 after A, evicting A",
                "V05 the cheaper two of three | c0[64u] c1[64u] c2[64u] A(p1,40u)@c0 B(p0,40u)@c1"
                        + " C(p0,40u)@c2"
                        + "| on | H(p5,96u,cards=2) | H@n0/c1+c2 after B+C, evicting B C",
                "E5.4 one victim of two cards | c0[64u] c1[64u] c2[64u] A(p0,128u,cards=2)@c1+c2"
                        + " B(p0,64u)@c0"
                        + "| on | H(p5,96u,cards=2) | H@n0/c1+c2 after A, evicting A",
                "D3 each card of another type goes whole | c0[64u] c1[64u] A(p0,8u)@c0 B(p0,8u)@c0"
                        + " C(p0,8u,5%)@c1"
                        + "| on | H(p5,16u,10%,cards=2) | H@n0/c0+c1 after A+B, evicting A B",
                "C5 leaving shares of one card cost nothing | c0[64u] c1[64u] A(p0,64u,leaving=20)@c0"
                        + "| off | H(p5,64u,cards=2) | H@n0/c0+c1 after A",
                "core short: one goes | c0[64u] A(p0,8u,50%)@c0 B(p1,8u,50%)@c0"
                        + "| off | H(p5,8u,50%) | H@n0/c0 after A, evicting A",
                "a bound pod that has not started goes | c0[64u] A(p0,64u,reserved)@c0"
                        + "| off | H(p5,64u) | H@n0/c0 after A, evicting A",
                "E5.3 weight beats count never: two of p0, one of p1 | c0[64u] c1[64u]"
                        + " A(p0,32u)@c0 B(p0,32u)@c0 C(p1,64u)@c1"
                        + "| off | H(p5,64u) | H@n0/c0 after A+B, evicting A B",
                "E5.5 more idle left | c0[64u] c1[128u] A(p0,64u)@c0 B(p0,128u)@c1"
                        + "| off | H(p5,64u) | H@n0/c1 after B, evicting B",
                "E5.7 latest start goes | c0[64u] c1[64u] A(p0,64u,started=10)@c0"
                        + " B(p0,64u,started=20)@c1"
                        + "| off | H(p5,64u) | H@n0/c1 after B, evicting B",
                "E5.7 not started is latest | c0[64u] A(p0,32u)@c0 B(p0,32u,started=20)@c0"
                        + "| off | H(p5,32u) | H@n0/c0 after A, evicting A",
                "E5.8 node name | n1/c0[64u] n0/c0[64u] A(p0,64u)@n1/c0 B(p0,64u)@n0/c0"
                        + "| off | H(p5,64u) | H@n0/c0 after B, evicting B",
            })
    void findsTheCheapest(
            String name, String cluster, String topologyAware, String ask, String plan) {
        assertEquals(
                plan, World.of(cluster).withSwitch(topologyAware.equals("on")).plan(ask), name);
    }

    @Test
    void aPodOfSeveralCardsEvictsNobodyWithTheSwitchOff_D1() {
        assertSays(
                World.of("c0[64u] c1[64u] A(p0,64u)@c0").plan("H(p5,2u,cards=2)"),
                "finds no room for 1 unit on each of 2 cards",
                "the switch enable_topology_aware_preemption would allow it");
        assertSays(
                World.of("c0[64u] c1[64u] A(p9,64u)@c0").plan("H(p5,2u,cards=2)"),
                "a pod that needs more than one card evicts nobody while"
                        + " enable_topology_aware_preemption is off");
    }

    @Test
    void aVictimOfSeveralCardsNeedsTheSwitch_D1() {
        World world = World.of("c0[64u] c1[64u] A(p0,128u,cards=2)@c0+c1");
        assertSays(world.plan("H(p5,64u)"), "default/A has shares on other cards too");
        assertEquals("H@n0/c0 after A, evicting A", world.withSwitch(true).plan("H(p5,64u)"));
    }

    @Test
    void evictsNoMoreThanNeeded_B58() {
        assertEquals("H@n0/c0", World.of(TEN_SMALL).plan("H(p9,4u)"));
        assertEquals(1, place(World.of(TEN_SMALL).decide("H(p9,10u)")).victims().size());
        String[] ten = Collections.nCopies(10, "").stream().toArray(String[]::new);
        for (int i = 0; i < ten.length; i++) {
            ten[i] = "H" + i + "(p9,6u)";
        }
        Decision.Place batch = place(World.of(TEN_SMALL).decide(ten));
        assertEquals(10, batch.victims().size());
        assertEquals(10, batch.victims().stream().map(Victim::pod).distinct().count());
    }

    @Test
    void nobodyIsEvictedForAGroupThatCannotRun_B60_V06() {
        World world = World.of("n0/c0[64u] n1/c0[64u] n2/c0[64u] L0(p0,64u)@n0/c0"
                + " L1(p0,64u)@n1/c0 X(p2000,64u)@n2/c0");
        var before = world.nodes();
        Decision decision = world.decide("G1(p9,64u)", "G2(p9,64u)", "G3(p9,64u)");
        Decision.NoRoom noRoom = assertInstanceOf(Decision.NoRoom.class, decision);
        assertSays(noRoom.reason(), "member 3 (default/G3)");
        assertFalse(noRoom.lasting());
        assertEquals(before, world.nodes());
    }

    @Test
    void fourReasonsForNoEviction_V07() {
        assertAll(
                () -> assertSays(
                        World.of("c0[64u] L(p5,64u)@c0").plan("H(p5,64u)"),
                        "default/L has priority 5, not below 5"),
                () -> assertSays(
                        World.of("c0[64u] L(p0,64u,preemptable=false)@c0").plan("H(p5,64u)"),
                        "default/L is protected by volcano.sh/preemptable"),
                () -> assertSays(
                        World.of("c0[64u] L(p0,64u,ns=kube-system)@c0").plan("H(p5,64u)"),
                        "kube-system/L is in kube-system"),
                () -> assertSays(
                        World.of("c0[64u] L(p0,64u)@c0").plan("H(p5,64u,never)"),
                        "its preemptionPolicy is Never"));
    }

    @ParameterizedTest
    @CsvSource({
        "ns=kube-system, is in kube-system",
        "owner=DaemonSet/d, belongs to a DaemonSet",
        "static, is a static pod",
        "class=system-node-critical, is of class system-node-critical",
        "owner=ReplicaSet/mine, is of the same workload",
        "label=volcano.sh/preemptable:false, is protected by",
        "preemptable=perhaps, is protected by",
        "leaving=10000;overdue, is past its release deadline",
        "finished;overdue, is past its release deadline",
        "leaving=10;promised, leaves for another pod",
        "unbound, is about to start there"
    })
    void protectedPodsAreNeverVictims_B70_C4(String words, String why) {
        String pod = "L(p0,64u," + words.replace(';', ',') + ")@c0";
        String plan =
                World.of("c0[64u]", pod).withSwitch(true).plan("H(p5,64u,owner=ReplicaSet/mine)");
        assertSays(plan, "finds no room for 64 units", why);
    }

    @Test
    void theAnnotationCountsBeforeTheLabel_C4() {
        String both = "preemptable=true,label=volcano.sh/preemptable:false";
        assertEquals(
                "H@n0/c0 after L, evicting L",
                World.of("c0[64u] L(p0,64u," + both + ")@c0").plan("H(p5,64u)"));
    }

    @Test
    void aTwentyFirstContainerCostsOneVictim_V08_B3() {
        StringBuilder full = new StringBuilder("c0[64u]");
        for (int i = 10; i < 30; i++) {
            full.append(" L").append(i).append("(p0,1u)@c0");
        }
        assertEquals(
                "H@n0/c0 after L10, evicting L10", World.of(full.toString()).plan("H(p5,1u)"));
        assertSays(World.of(full.toString()).plan("H(p0,1u)"), "c0 is shared by 20 already");
    }

    @Test
    void aCardOfAnotherTypeIsOutIfOneOfItStays_V03_D3() {
        String cluster = "c0[64u] A(p0,8u)@c0 B(p5,8u)@c0 C(p0,8u)@c0";
        assertSays(
                World.of(cluster).withSwitch(true).plan("H(p5,16u,5%)"),
                "other isolation type on c0 (default/B has priority 5, not below 5)");
    }

    @Test
    void theNarrowDimensionTakesNobodyWhoIsOnTwoCards_D1() {
        String cluster = "c0[64u] c1[64u] A(p0,64u+64u)@c0+c1";
        assertSays(
                World.of(cluster).plan("H(p5,64u)"),
                "default/A has shares on other cards too",
                "the switch enable_topology_aware_preemption would allow it");
    }

    @Test
    void aPodThatNeedsTwoCardsNamesTheSwitch_D1() {
        String cluster = "c0[64u] c1[64u] A(p0,64u)@c0 B(p9,64u)@c1";
        assertSays(
                World.of(cluster).plan("H(p5,40u+40u)"),
                "a pod that needs more than one card evicts nobody while"
                        + " enable_topology_aware_preemption is off");
    }

    @Test
    void leavingPodsAreWaitedForRatherThanOthersEvicted_C5() {
        String cluster = "c0[64u] c1[64u] A(p0,64u,leaving=%d)@c0 B(p0,64u)@c1";
        assertEquals("H@n0/c0 after A", World.of(cluster.formatted(60)).plan("H(p5,64u)"));
        assertEquals(
                "H@n0/c1 after B, evicting B", World.of(cluster.formatted(61)).plan("H(p5,64u)"));
        assertEquals("H@n0/c0 after A", World.of(cluster.formatted(61)).plan("H(p0,64u)"));
    }

    @Test
    void leavingSharesCostNothingInAPlanWithVictims_C5() {
        String cluster = "c0[64u] A(p0,32u,leaving=300)@c0 B(p0,32u)@c0";
        assertEquals("H@n0/c0 after A+B, evicting B", World.of(cluster).plan("H(p5,64u)"));
    }

    @Test
    void aPodThatIsOverIsWaitedForToo_B8() {
        assertEquals(
                "H@n0/c0 after A", World.of("c0[64u] A(p9,64u,finished)@c0").plan("H(p0,64u)"));
    }

    @Test
    void noSecondSetOfVictimsWhileTheFirstLeaves_B64_C6() {
        String cluster = "c0[64u] c1[64u] V(p0,64u,leaving=60)@c0 L(p0,64u)@c1";
        World held = World.of(cluster).hold("H(p9,64u,unbound)@c0", "V");
        assertEquals("H2@n0/c1 after L, evicting L", held.plan("H2(p9,64u)"));
        assertSays(
                World.of(cluster).hold("H(p9,64u,unbound)@c0", "V").noEviction().plan("H2(p9,64u)"),
                "default/V leaves for another pod",
                "held for default/H");
    }

    @Test
    void longWaitsAreNotTakenWhereEvictionIsOnlyPutOff_C6() {
        World world = World.of("c0[64u] V(p0,64u,leaving=300)@c0").noEviction();
        assertSays(world.plan("H(p9,64u)"), "default/V leaves, grace 30 s");
    }

    @Test
    void aNodeExpectedBackPutsEvictionOff_C5() {
        String cluster = "n0/c0[64u] n1/c0[64u] L(p0,64u)@n0/c0 %s@n1/c0";
        assertSays(
                World.of(cluster.formatted("M(p0,64u)")).lost("n1", true).plan("H(p5,64u)"),
                "nobody is evicted while n1, which could take it, is expected back");
        assertEquals(
                "H@n0/c0 after L, evicting L",
                World.of(cluster.formatted("M(p0,64u)")).lost("n1", false).plan("H(p5,64u)"));
        assertEquals(
                "H@n0/c0 after L, evicting L",
                World.of(cluster.formatted("M(p9,64u)")).lost("n1", true).plan("H(p5,64u)"));
    }

    @Test
    void aNodeNeverSeenInThisTermPutsEvictionOff_C5() {
        World world = World.of("n0/c0[64u] L(p0,64u)@n0/c0").lost("n1", true);
        assertSays(world.plan("H(p5,64u)"), "n1, which could take it, is expected back");
    }

    @Test
    void evictionCuresAShortageOfCpuOnlyThroughGpuPodsOfTheCard_C8() {
        String cluster = "c0[64u] L(p0,32u,cpu=600)@c0";
        World world = World.of(cluster).allocatable("n0", Map.of("cpu", 1000L, "pods", 10L));
        assertEquals("H@n0/c0 after L, evicting L", world.plan("H(p5,16u,cpu=500)"));
        assertSays(world.plan("H(p5,16u,cpu=1500)"), "asks 1500 milli-cpu, 400 left");
    }

    @Test
    void preemptionIsOffAsAWhole_F2() {
        PlannerSettings off = new PlannerSettings(
                false, true, 5, 20, false, false, false, PlannerSettings.DEFAULTS.waitForRelease());
        assertSays(
                World.of("c0[64u] L(p0,64u)@c0").with(off).plan("H(p5,64u)"),
                "nobody is evicted: enable_preemption is false");
    }

    @Test
    void aVictimThatALaterMemberMakesUselessIsSpared_E6() {
        // G1 takes A; G2 needs B, whose room is enough for both.
        Decision.Place plan = place(
                World.of("c0[64u] A(p0,20u)@c0 B(p0,44u)@c0").decide("G1(p5,20u)", "G2(p5,20u)"));
        assertEquals(
                List.of("B"),
                plan.victims().stream().map(v -> v.pod().ref().name()).toList());
    }

    @Test
    void allPlacesOfAPlanOnANodeStandBehindOneSet_B6() {
        Decision.Place plan = place(World.of("c0[64u] c1[64u] A(p0,64u)@c0 B(p0,64u)@c1")
                .decide("G1(p5,64u)", "G2(p5,64u)"));
        assertEquals(2, plan.placements().getFirst().behind().size());
        assertEquals(plan.placements().get(0).behind(), plan.placements().get(1).behind());
    }
}
