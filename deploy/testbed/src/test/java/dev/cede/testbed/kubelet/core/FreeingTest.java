package dev.cede.testbed.kubelet.core;

import static dev.cede.testbed.kubelet.core.VirtualNode.M;
import static dev.cede.testbed.kubelet.core.VirtualNode.container;
import static dev.cede.testbed.kubelet.core.VirtualNode.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.core.Event.PluginOptions;
import dev.cede.testbed.kubelet.core.PodSpec.RestartPolicy;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import dev.cede.testbed.kubelet.core.PodStatusView.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When kubelet gives a pod's devices out again: rule E9's first half. */
final class FreeingTest {
    private static final PluginOptions PLAIN = new PluginOptions(false, false);
    private static final List<String> IDS = List.of("a-m0", "a-m1", "a-m2", "a-m3");

    private final PodSpec victim = pod("victim", container("main", M, 4));
    private final PodSpec winner = pod("winner", container("main", M, 2));
    private VirtualNode node;

    @BeforeEach
    void victimRuns() {
        start(KubeletSettings.of(1));
    }

    private void start(KubeletSettings settings) {
        node = new VirtualNode(settings).knowingAllPods();
        node.register(M, PLAIN, IDS);
        node.clings = true;
        node.add(victim);
        node.advance(Duration.ofSeconds(2));
        assertEquals(Phase.RUNNING, node.phase(victim));
    }

    private void deleteVictim() {
        node.send(new Event.PodChanged(victim.deleted(30)));
        node.advance(Duration.ofSeconds(1));
    }

    @Test
    void aTerminatingPodWithALiveContainerKeepsItsDevices() {
        deleteVictim();
        node.add(winner);

        assertEquals(Phase.FAILED, node.phase(winner));
        assertEquals(
                "UnexpectedAdmissionError", node.status(winner).orElseThrow().reason());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 50, 100, 149})
    void aWinnerBoundWhenOnlyTheProcessIsGoneIsRejectedForGood(long millisAfterExit) {
        deleteVictim();
        node.exit(victim.uid(), "main", 0);
        node.advance(Duration.ofMillis(millisAfterExit));
        node.add(winner);
        node.advance(Duration.ofMinutes(5));

        assertEquals(Phase.FAILED, node.phase(winner));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aWinnerBoundAtTheFinalPhaseIsAdmitted(long seed) {
        start(KubeletSettings.of(seed));
        deleteVictim();
        node.exit(victim.uid(), "main", 0);
        Instant exit = node.now;
        while (!node.phase(victim).isFinal()) {
            node.advance(Duration.ofMillis(1));
        }
        Duration waited = Duration.between(exit, node.now);
        assertTrue(waited.toMillis() >= 150 && waited.toMillis() <= 251, waited::toString);
        assertTrue(
                node.status(victim).orElseThrow().containers().getFirst().state()
                        instanceof State.Terminated);

        node.add(winner);
        node.advance(Duration.ofSeconds(1));
        assertEquals(Phase.RUNNING, node.phase(winner));
    }

    @Test
    void theStatusSaysTerminatedAndFinalInOneWriteAndTheObjectGoesLater() {
        deleteVictim();
        node.exit(victim.uid(), "main", 143);
        int before = node.all(Effect.WriteStatus.class).size();
        node.advance(Duration.ofMillis(260));
        assertEquals(before + 1, node.all(Effect.WriteStatus.class).size());
        assertEquals(Phase.FAILED, node.phase(victim));

        node.advance(Duration.ofMillis(800));
        assertEquals(List.of(new Effect.RemovePod(victim.id())), node.all(Effect.RemovePod.class));
    }

    @Test
    void aForceDeletedPodsDevicesAreGivenOutAtOnceThoughItsProcessLives() {
        node.send(new Event.PodGone(victim.id()));
        node.add(winner);
        node.advance(Duration.ofSeconds(1));

        assertTrue(node.running.containsKey(victim.uid() + "/main"));
        assertEquals(Phase.RUNNING, node.phase(winner));
        node.advance(Duration.ofSeconds(1));
        assertFalse(node.running.containsKey(victim.uid() + "/main"));
        assertEquals(List.of(new Effect.CleanPod(victim.uid())), node.all(Effect.CleanPod.class));
    }

    @Test
    void aContainerThatOnlyDiedByItselfKeepsItsDevices() {
        node.exit(victim.uid(), "main", 1);
        node.advance(Duration.ofMillis(1100));
        boolean saidTerminated = node.all(Effect.WriteStatus.class).stream()
                .anyMatch(write ->
                        write.status().containers().getFirst().state() instanceof State.Terminated);
        assertTrue(saidTerminated);
        node.add(winner);

        assertEquals(Phase.FAILED, node.phase(winner));
        assertFalse(node.phase(victim).isFinal());
    }

    @Test
    void aPodThatEndedByItselfFreesItsDevicesWithTheFinalPhaseThoughItsObjectStays() {
        PodSpec once = pod("once", container("main", M, 2)).restarting(RestartPolicy.NEVER);
        VirtualNode own = VirtualNode.random(3).knowingAllPods();
        own.register(M, PLAIN, IDS.subList(0, 2));
        own.add(once);
        own.advance(Duration.ofSeconds(2));
        own.exit(once.uid(), "main", 0);
        while (!(own.status(once).orElseThrow().containers().getFirst().state()
                instanceof State.Terminated)) {
            own.advance(Duration.ofMillis(10));
        }
        assertEquals(Phase.RUNNING, own.phase(once));
        PodSpec early = pod("early", container("main", M, 1));
        own.add(early);
        assertEquals(Phase.FAILED, own.phase(early));

        own.advance(Duration.ofMillis(1300));
        assertEquals(Phase.SUCCEEDED, own.phase(once));
        own.add(winner);
        own.advance(Duration.ofSeconds(2));

        assertEquals(Phase.RUNNING, own.phase(winner));
        assertEquals(0, own.all(Effect.RemovePod.class).size());
    }

    @Test
    void graceEndsWithAKillAndAnotherDeleteDoesNotShortenIt() {
        node.send(new Event.PodChanged(victim.deleted(5)));
        node.send(new Event.PodChanged(victim.deleted(1)));
        node.send(new Event.PodGone(victim.id()));
        node.advance(Duration.ofMillis(4900));
        assertTrue(node.running.containsKey(victim.uid() + "/main"));
        node.advance(Duration.ofMillis(200));
        assertFalse(node.running.containsKey(victim.uid() + "/main"));
    }

    @Test
    void nothingIsFreedBeforeSomebodyAsks() {
        deleteVictim();
        node.exit(victim.uid(), "main", 0);
        node.advance(Duration.ofSeconds(5));
        node.send(new Event.PodGone(victim.id()));
        assertFalse(node.hasNoDevices(victim));

        assertEquals(List.of(), node.core.listPodResources());
        assertTrue(node.hasNoDevices(victim));
    }

    /** A pod that dies while another's Allocate is under way gives List something to free. */
    @Test
    void aListDuringAnAllocateForgetsThePickOrNot() {
        for (boolean forgets : List.of(true, false)) {
            PodSpec small = pod("small", container("main", M, 2));
            VirtualNode own = new VirtualNode(KubeletSettings.of(1)
                            .withQuirks(new Quirks(ClientKeying.NAME, true, forgets, true)))
                    .knowingAllPods();
            own.register(M, PLAIN, IDS);
            own.add(small);
            own.advance(Duration.ofSeconds(2));
            own.send(new Event.PodChanged(small.deleted(30)));
            own.holdAnswers = true;
            own.add(pod("other", container("main", M, 2)));
            own.advance(Duration.ofSeconds(1));
            assertEquals(4, own.core.inUse(M).size());

            own.core.listPodResources();
            assertEquals(forgets ? 0 : 2, own.core.inUse(M).size());
        }
    }
}
