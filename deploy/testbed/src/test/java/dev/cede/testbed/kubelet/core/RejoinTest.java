package dev.cede.testbed.kubelet.core;

import static dev.cede.testbed.kubelet.core.VirtualNode.M;
import static dev.cede.testbed.kubelet.core.VirtualNode.container;
import static dev.cede.testbed.kubelet.core.VirtualNode.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.Event.PluginOptions;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plugins and kubelets that go away and come back. */
final class RejoinTest {
    private static final PluginOptions PLAIN = new PluginOptions(false, false);
    private static final List<String> IDS = List.of("a-m0", "a-m1", "a-m2", "a-m3");

    private static KubeletSettings keyed(ClientKeying keying) {
        return KubeletSettings.of(1).withQuirks(new Quirks(keying, true, true, true));
    }

    @Test
    void aBadVersionOrNameIsRefusedAndNothingIsDialled() {
        VirtualNode node = VirtualNode.random(1);
        node.send(new Event.RegisterCalled(1, "v1", "x.sock", M));
        node.send(new Event.RegisterCalled(2, "v1beta1", "x.sock", "nvidia"));
        node.send(new Event.RegisterCalled(3, "v1beta1", "x.sock", "kubernetes.io/gpu"));
        node.send(new Event.RegisterCalled(4, "v1beta1", "x.sock", "requests.volcano.sh/gpu"));

        assertEquals(
                4,
                node.all(Effect.AnswerRegister.class).stream()
                        .filter(answer -> answer.error().isPresent())
                        .count());
        assertEquals(0, node.all(Effect.DialPlugin.class).size());
    }

    @Test
    void registerIsAnsweredAfterTheDialAndBeforeTheList() {
        VirtualNode node = VirtualNode.random(1);
        node.register(M, PLAIN, IDS);
        List<String> order = node.effects.stream()
                .map(effect -> effect.getClass().getSimpleName())
                .filter(name -> !name.equals("PublishNode"))
                .toList();

        assertEquals(
                List.of("DialPlugin", "AnswerRegister", "OpenListAndWatch", "WriteCheckpoint"),
                order);
    }

    @Test
    void aDisconnectedPluginKeepsCapacityForFiveMinutesThenIsDroppedWithAnExplicitZero() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        long client = node.register(M, PLAIN, IDS);
        node.advance(Duration.ofSeconds(10));
        assertEquals(4, node.last(Effect.PublishNode.class).allocatable().get(M));

        node.send(new Event.StreamEnded(client));
        node.advance(Duration.ofSeconds(10));
        assertEquals(Map.of(M, 4L), node.last(Effect.PublishNode.class).capacity());
        assertEquals(Map.of(M, 0L), node.last(Effect.PublishNode.class).allocatable());
        PodSpec pod = pod("p", container("main", M, 1));
        node.add(pod);
        assertTrue(node.status(pod).orElseThrow().message().contains("no healthy devices present"));

        node.advance(Duration.ofMinutes(5));
        assertEquals(Map.of(M, 0L), node.last(Effect.PublishNode.class).capacity());
    }

    /** B26: the old stream ends after the new registration. */
    @ParameterizedTest
    @CsvSource({
        "NAME, old.sock, new.sock, 0",
        "NAME_AND_PATH, old.sock, new.sock, 4",
        "NAME_AND_PATH, one.sock, one.sock, 0"
    })
    void theEndOfAnOldStreamMayTakeTheNewRegistrationAlong(
            ClientKeying keying, String before, String after, int healthy) {
        VirtualNode node = new VirtualNode(keyed(keying)).knowingAllPods();
        long old = node.register(M, before, PLAIN, IDS);
        node.register(M, after, PLAIN, IDS);
        node.send(new Event.StreamEnded(old));

        assertEquals(healthy, node.core.allocatable().get(M).size());
    }

    @Test
    void aContainerThatEndsBeforeANewKubeletHearsOfItsPodIsNotWaitedFor() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, PLAIN, IDS);
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(2));

        node.restart();
        node.exit(pod.uid(), "main", 137);
        node.add(pod.deleted(1));
        node.send(new Event.SourcesReady());
        node.advance(Duration.ofSeconds(10));
        assertEquals(Phase.FAILED, node.phase(pod));
        assertEquals(1, node.all(Effect.RemovePod.class).size());
    }

    @Test
    void aRestartKeepsRunningContainersAndTheirDevices() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, PLAIN, IDS);
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(2));
        List<String> ids = node.ids(pod, "main", M);

        node.restart();
        node.add(pod);
        node.send(new Event.SourcesReady());
        node.advance(Duration.ofSeconds(2));
        assertEquals(Phase.RUNNING, node.phase(pod));
        assertEquals(ids, node.ids(pod, "main", M));
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
        assertEquals(1, node.all(Effect.StartContainer.class).size());
        assertEquals(
                Map.of(M, 0L), new TreeMap<>(node.last(Effect.PublishNode.class).capacity()));

        node.register(M, PLAIN, IDS);
        PodSpec greedy = pod("greedy", container("main", M, 3));
        node.add(greedy);
        assertEquals(Phase.FAILED, node.phase(greedy));
    }

    @Test
    void aFinishedInitContainersDevicesCanFailAHealthyPodAtARestart() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, PLAIN, IDS);
        PodSpec pod = pod("p", container("init", M, 1).as(Kind.INIT), container("main", M, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(2));
        node.exit(pod.uid(), "init", 0);
        node.advance(Duration.ofSeconds(2));
        assertTrue(node.running.containsKey(pod.uid() + "/main"));

        node.restart();
        node.add(pod);
        assertEquals("UnexpectedAdmissionError", node.status(pod).orElseThrow().reason());
        assertTrue(node.running.isEmpty());
    }

    /** B27: pods restored before the plugin has registered. */
    @Test
    void afterARebootPodsFailUntilThePluginHasRegistered() {
        for (boolean registeredFirst : List.of(false, true)) {
            VirtualNode node = VirtualNode.random(1).knowingAllPods();
            node.register(M, PLAIN, IDS);
            PodSpec pod = pod("p", container("main", M, 2));
            node.add(pod);
            node.advance(Duration.ofSeconds(2));
            node.reboot();
            if (registeredFirst) {
                node.register(M, PLAIN, IDS);
            }
            node.add(pod);
            node.advance(Duration.ofSeconds(2));

            assertEquals(registeredFirst ? Phase.RUNNING : Phase.FAILED, node.phase(pod));
            assertEquals(1, node.all(Effect.AskAllocate.class).size());
        }
    }

    @Test
    void deadPodsDevicesCountUntilKubeletKnowsAllItsPods() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, PLAIN, IDS);
        PodSpec dead = pod("dead", container("main", M, 4));
        node.add(dead);
        node.advance(Duration.ofSeconds(2));
        node.reboot();
        node.register(M, PLAIN, IDS);
        PodSpec early = pod("early", container("main", M, 1));
        node.add(early);
        assertEquals(Phase.FAILED, node.phase(early));

        node.send(new Event.SourcesReady());
        PodSpec late = pod("late", container("main", M, 1));
        node.add(late);
        assertEquals(Phase.PENDING, node.phase(late));
    }

    @Test
    void podResourcesHidesOrdinaryInitContainersAndGetChangesNothing() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, PLAIN, IDS);
        PodSpec pod = pod(
                "p",
                container("init", M, 1).as(Kind.INIT),
                container("side", M, 1).as(Kind.SIDECAR),
                container("main", M, 1));
        node.add(pod);

        PodDevices shown = node.core.getPodResources("ns", "p").orElseThrow();
        assertEquals(List.of("side", "main"), List.copyOf(shown.containers().keySet()));
        assertEquals(Optional.empty(), node.core.getPodResources("ns", "other"));
        assertEquals(1, node.core.listPodResources().size());
    }
}
