package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes where another pod, V, holds whole cards through the vendor's own plugin (B12). */
final class MixedNodesTest {
    private static String plan(boolean allow, String cluster, String ask) {
        PlannerSettings settings = new PlannerSettings(
                true, true, 5, 20, false, false, allow, PlannerSettings.DEFAULTS.waitForRelease());
        return World.of(cluster).with(settings).plan(ask);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "the other card | c0[64u,whole=V*1] c1[64u] V(p0,gpus=1)@c0 | H(8u) | H@n0/c1",
                "both | c0[64u,whole=V*1] c1[64u,whole=V*1] V(p0,gpus=2)@c0 | H(8u)"
                        + "| V holds c0 whole; n0: default/V holds c1 whole",
                "not known yet | c0[64u] c1[64u] V(p0,gpus=1)@c0 | H(8u)"
                        + "| V holds whole cards there, and it is not known yet which",
                "known of another pod only | c0[64u,whole=W*1] c1[64u] V(p0,gpus=1)@c0 | H(8u)"
                        + "| V holds whole cards there, and it is not known yet which",
                "one of two is not known yet | c0[64u,whole=V*1] c1[64u] c2[64u]"
                        + " V(p0,gpus=1+1)@c0 | H(8u)"
                        + "| V holds whole cards there, and it is not known yet which",
                "two replicas of a card | c0[64u,whole=V*2] c1[64u] V(p0,gpus=1+1)@c0"
                        + "| H(8u) | H@n0/c1",
                "replicas of two pods | c0[64u,whole=V*1,whole=W*1] c1[64u] V(p0,gpus=1)@c0"
                        + " W(p0,gpus=1)@c0 | H(8u) | H@n0/c1",
                "an amount that is not understood | c0[64u,whole=V*1] c1[64u] V(p0,gpus=500m)@c0"
                        + "| H(8u) | V holds whole cards there, and it is not known yet which",
                "kubelet still names a pod that is gone | c0[64u,whole=V*1] | H(8u) | H@n0/c0",
                "a pod that is over | c0[64u,whole=V*1] V(p0,gpus=1,finished)@c0"
                        + "| H(8u) | H@n0/c0",
                "a pod that leaves | c0[64u,whole=V*1] V(p0,gpus=1,leaving=20)@c0"
                        + "| H(8u) | V holds c0 whole",
                "nobody is evicted there | c0[64u,whole=V*1] V(p0,gpus=1)@c0 L(p0,64u)@c0"
                        + "| H(p5,64u) | V holds c0 whole",
                "somebody is elsewhere | c0[64u,whole=V*1] c1[64u] V(p0,gpus=1)@c0 L(p0,8u)@c0"
                        + " M(p1,64u)@c1 | H(p5,64u) | H@n0/c1 after M, evicting M",
                "not for several cards | c0[64u,whole=V*1] c1[64u] V(p0,gpus=1)@c0"
                        + "| H(16u,cards=2) | (largest hole 64 units); n0: default/V holds c0",
                "a pod without shares | c0[64u] V(p0,gpus=1)@c0 | H(p0) | H@n0",
            })
    void cardsThatAreHeldWholeAreClosedAndTheOthersAreOpen_B12(
            String what, String cluster, String ask, String words) {
        String plan = plan(true, cluster, ask);
        assertEquals(true, plan.contains(words), plan);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "c0[64u,whole=V*1] c1[64u] V(p0,gpus=1)@c0 | default/V holds whole cards there",
                "c0[64u] c1[64u] V(p0,gpus=1)@c0 | default/V holds whole cards there",
                "c0[64u,whole=V*1] V(p0,gpus=1,finished)@c0 | H@n0/c0",
            })
    void withoutLeaveTheNodeIsClosed_B12(String cluster, String words) {
        String plan = plan(false, cluster, "H(8u)");
        assertEquals(true, plan.endsWith(words), plan);
    }
}
