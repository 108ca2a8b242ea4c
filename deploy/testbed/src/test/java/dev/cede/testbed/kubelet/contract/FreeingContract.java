package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.KubeletRig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a victim's devices are given out again: rule E9's first half. */
abstract class FreeingContract extends KubeletContract {
    private static final Map<String, Integer> ALL = Map.of(MEMORY, 8);
    private static final Map<String, Integer> HALF = Map.of(MEMORY, 4);

    /** Kubelet sees a process's end a tenth of a second or two later; a busy test may come too late. */
    private static final int TRIES = 5;

    private static final int KILLED = 137;
    private static final String CLING = "--cling-seconds=600";
    private static final long LONG = 120;

    @BeforeEach
    void register() {
        rig.plugin(MEMORY, rig.ids('m', 8));
    }

    private Pod victim(String name, String... args) {
        return rig.running(rig.add(name, ALL, args));
    }

    /** The driver alone is too early. */
    @Test
    void aWinnerBoundWhenOnlyTheProcessIsGoneIsRejectedForGood() {
        Pod early = earlyWinner();
        for (int i = 1; KubeletRig.phase(early).equals("Running") && i < TRIES; i++) {
            early = earlyWinner();
        }
        assertUnavailable(early);
        rig.running(rig.add("late", ALL));
        assertEquals("Failed", KubeletRig.phase(rig.kubelet.current(early).orElseThrow()));
    }

    /** Ended or running, once the victim and its predecessors are gone. */
    private Pod earlyWinner() {
        String number = String.valueOf(System.nanoTime());
        Pod victim = victim("victim-" + number);
        ProcessHandle process = rig.process(victim);
        rig.kubelet.delete(victim, 30);
        await(() -> !process.isAlive(), "end of the victim's process");
        Pod early = rig.add("early-" + number, HALF);
        Pod told = rig.await(
                early,
                now -> List.of("Running", "Failed").contains(KubeletRig.phase(now)),
                "a decision");
        rig.awaitGone(victim);
        if (KubeletRig.phase(told).equals("Running")) {
            rig.kubelet.delete(told, 0);
            rig.awaitGone(told);
        }
        return told;
    }

    private static void assertUnavailable(Pod pod) {
        PodStatus status = pod.getStatus();
        assertEquals("Failed", status.getPhase());
        assertEquals("UnexpectedAdmissionError", status.getReason());
        assertTrue(
                status.getMessage().contains("requested number of devices unavailable"),
                status::getMessage);
    }

    @Test
    void aWinnerBoundAtTheFinalPhaseIsAdmitted() {
        Pod victim = victim("victim");
        rig.process(victim);
        rig.kubelet.delete(victim, 30);
        rig.await(victim, KubeletRig::isFinal, "a final phase");

        rig.running(rig.add("winner", ALL));
    }

    @Test
    void theFinalPhaseComesWithAllTerminatedAndTheObjectGoesLater() {
        Pod victim = victim("victim");
        ProcessHandle process = rig.process(victim);
        rig.kubelet.delete(victim, 30);
        rig.awaitGone(victim);

        assertFalse(process.isAlive());
        List<PodStatus> statuses = rig.kubelet.statuses(victim);
        assertTrue(isFinal(statuses.getLast()), statuses::toString);
        statuses.forEach(
                status -> assertEquals(isFinal(status), allTerminated(status), status::toString));
    }

    /** So "all terminated" is not enough: kubelet has only begun to end the pod. */
    @Test
    void whereAPodEndsByItselfAllIsTerminatedBeforeThePhaseIsFinalAndTheDevicesAreKeptTillThen() {
        Pod pod = rig.pod("short", ALL);
        pod.getSpec().setRestartPolicy("Never");
        Pod ended = rig.running(rig.kubelet.add(pod));
        rig.process(ended).destroyForcibly();
        Pod terminated = rig.await(ended, now -> allTerminated(now.getStatus()), "terminated");
        assertEquals("Running", KubeletRig.phase(terminated));
        assertUnavailable(rig.rejected(rig.add("early", HALF)));

        rig.await(ended, KubeletRig::isFinal, "a final phase");
        rig.running(rig.add("next", ALL));
        assertTrue(rig.kubelet.current(ended).isPresent());
    }

    private static boolean isFinal(PodStatus status) {
        return List.of("Succeeded", "Failed").contains(status.getPhase());
    }

    private static boolean allTerminated(PodStatus status) {
        List<ContainerStatus> containers = status.getContainerStatuses();
        return !containers.isEmpty()
                && containers.stream()
                        .allMatch(container -> container.getState().getTerminated() != null);
    }

    /** T15: then the driver is the only one that protects. */
    @Test
    void aForceDeletedPodsDevicesAreGivenOutWhileItsProcessLivesAndItsOwnGraceDoesNotCount() {
        Pod pod = rig.pod("victim", ALL, CLING);
        pod.getSpec().setTerminationGracePeriodSeconds(LONG);
        Pod victim = rig.running(rig.kubelet.add(pod));
        ProcessHandle process = rig.process(victim);
        rig.kubelet.delete(victim, 0);
        Pod winner = rig.add("winner", ALL);
        await(() -> rig.calls("allocate").size() == 2, "the winner's Allocate");

        assertTrue(process.isAlive());
        rig.running(winner);
        await(() -> !process.isAlive(), "end of the victim's process");
    }

    /** The first DELETE says how long the process may live, and no other shortens it. */
    @Test
    void aForceDeleteAfterADeleteKillsNoSooner() {
        Pod victim = victim("victim", CLING);
        ProcessHandle process = rig.process(victim);
        rig.kubelet.delete(victim, LONG);
        await(
                () -> rig.kubelet.events(victim).stream()
                        .anyMatch(event -> event.getReason().equals("Killing")),
                "the signal");
        rig.kubelet.delete(victim, 0);
        rig.awaitGone(victim);

        // Its devices are free, and one that was never asked to end is killed meanwhile.
        Pod other = victim("other", CLING);
        ProcessHandle deletedOnce = rig.process(other);
        rig.kubelet.delete(other, 0);
        await(() -> !deletedOnce.isAlive(), "end of the other process");
        assertTrue(process.isAlive());
        process.destroyForcibly();
    }

    @Test
    void aClingingContainerKeepsItsDevicesUntilItIsKilledAfterItsGrace() {
        Pod victim = victim("victim", CLING);
        ProcessHandle process = rig.process(victim);
        rig.kubelet.delete(victim, 4);
        Pod early = rig.rejected(rig.add("early", HALF));
        assertUnavailable(early);
        assertTrue(process.isAlive());

        Pod ended = rig.await(victim, KubeletRig::isFinal, "a final phase");
        assertEquals("Failed", KubeletRig.phase(ended));
        assertEquals(
                KILLED,
                ended.getStatus()
                        .getContainerStatuses()
                        .getFirst()
                        .getState()
                        .getTerminated()
                        .getExitCode());
        rig.running(rig.add("late", ALL));
    }

    @Test
    void aContainerThatDiedByItselfAndWillBeStartedAgainKeepsItsDevices() {
        Pod pod = victim("victim");
        rig.process(pod).destroyForcibly();
        assertUnavailable(rig.rejected(rig.add("early", HALF)));
        rig.await(
                pod,
                now -> now.getStatus().getContainerStatuses().getFirst().getRestartCount() == 1
                        && KubeletRig.phase(now).equals("Running"),
                "a restart");
    }
}
