package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.KubeletRig.LIMIT;
import static dev.cede.testbed.kubelet.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.KubeletRig.pod;
import static dev.cede.testbed.kubelet.KubeletRig.uid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.core.Span;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a victim's devices are given out again, with real processes: rule E9's first half. */
@Timeout(300)
final class FreeingIT {
    private static final List<String> IDS = TinyPlugin.ids("aaaaaaaa", 'm', 8);
    private static final Map<String, Integer> ALL = Map.of(MEMORY, 8);
    private static final Map<String, Integer> HALF = Map.of(MEMORY, 4);

    /** So long that no pause of a busy machine can make the test's two sides change places. */
    private static final Duration UNTIL_FINAL = Duration.ofSeconds(6);

    @Test
    void aWinnerBoundWhenOnlyTheProcessIsGoneIsRejectedAndOneBoundAtTheFinalPhaseRuns()
            throws IOException {
        try (KubeletRig rig = new KubeletRig(builder -> builder.settings(
                now -> now.withTiming(now.timing().withFinalStatus(Span.exactly(UNTIL_FINAL)))))) {
            rig.plugin(MEMORY, IDS);
            Pod victim = rig.running(rig.add(pod("victim", ALL)));
            ProcessHandle process = rig.process(victim);

            rig.api.deletePod(uid(victim), 30);
            KubeletRig.await(() -> !process.isAlive(), "end of the victim's process");
            Pod early = rig.add(pod("early", HALF));
            Pod rejected = rig.api.awaitPhase(uid(early), "Failed", LIMIT);
            assertEquals("UnexpectedAdmissionError", rejected.getStatus().getReason());
            assertTrue(rejected.getStatus()
                    .getMessage()
                    .contains("requested number of devices unavailable"));

            rig.api.awaitPod(uid(victim), FreeingIT::isFinal, LIMIT);
            rig.running(rig.add(pod("late", HALF)));
            rig.api.awaitGone(uid(victim), LIMIT);
            assertEquals(
                    "Failed", rig.api.pod(uid(early)).orElseThrow().getStatus().getPhase());
            assertOneFinalWrite(rig.api.statuses(uid(victim)));
        }
    }

    private static boolean isFinal(Pod pod) {
        return isFinal(pod.getStatus());
    }

    private static boolean isFinal(PodStatus status) {
        return status.getPhase().equals("Succeeded") || status.getPhase().equals("Failed");
    }

    /** "All terminated" and the final phase come in the same write. */
    private static void assertOneFinalWrite(List<PodStatus> writes) {
        for (PodStatus write : writes) {
            boolean terminated = write.getContainerStatuses().stream()
                    .allMatch(container -> container.getState().getTerminated() != null);
            assertEquals(isFinal(write), terminated, write::toString);
        }
    }

    @Test
    void aForceDeletedPodsDevicesAreGivenOutWhileItsProcessLives() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            rig.plugin(MEMORY, IDS);
            Pod victim = rig.running(rig.add(pod("victim", ALL, "--cling")));
            ProcessHandle process = rig.process(victim);

            rig.api.forceDelete(uid(victim));
            rig.running(rig.add(pod("winner", ALL)));
            assertTrue(process.isAlive());
        }
    }

    @Test
    void aClingingContainerKeepsItsDevicesUntilItIsKilledAfterItsGrace() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            rig.plugin(MEMORY, IDS);
            Pod victim = rig.running(rig.add(pod("victim", ALL, "--cling")));
            ProcessHandle process = rig.process(victim);
            rig.api.deletePod(uid(victim), 4);
            Pod early = rig.add(pod("early", HALF));
            rig.api.awaitPhase(uid(early), "Failed", LIMIT);
            assertTrue(process.isAlive());

            Pod ended = rig.api.awaitPod(uid(victim), FreeingIT::isFinal, LIMIT);
            assertEquals(
                    137,
                    ended.getStatus()
                            .getContainerStatuses()
                            .getFirst()
                            .getState()
                            .getTerminated()
                            .getExitCode());
            rig.api.awaitGone(uid(victim), LIMIT);
        }
    }
}
