package dev.cede.testbed.kubelet.core;

import static dev.cede.testbed.kubelet.core.VirtualNode.C;
import static dev.cede.testbed.kubelet.core.VirtualNode.M;
import static dev.cede.testbed.kubelet.core.VirtualNode.container;
import static dev.cede.testbed.kubelet.core.VirtualNode.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.ContainerSpec.Need;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.Event.PluginOptions;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
    private static final PluginOptions PLAIN = new PluginOptions(false, false);
    private static final List<String> IDS = List.of("a-m0", "a-m1", "a-m2", "a-m3");

    private static VirtualNode node(KubeletSettings settings) {
        VirtualNode node = new VirtualNode(settings).knowingAllPods();
        node.register(M, PLAIN, IDS);
        return node;
    }

    private static VirtualNode node() {
        return node(KubeletSettings.of(1));
    }

    private static void assertRejected(
            VirtualNode node, PodSpec pod, String reason, String message) {
        PodStatusView status = node.status(pod).orElseThrow();
        assertEquals(Phase.FAILED, status.phase());
        assertEquals(reason, status.reason());
        assertEquals(message, status.message());
        node.advance(Duration.ofMinutes(10));
        assertEquals(Phase.FAILED, node.phase(pod));
        assertFalse(node.running.keySet().stream().anyMatch(key -> key.startsWith(pod.uid())));
    }

    @Test
    void aRefusedAllocateFailsThePodForGood() {
        VirtualNode node = node();
        node.allocate =
                ask -> Answer.failed("rpc error: code = FailedPrecondition desc = no share");
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);

        assertRejected(
                node,
                pod,
                "UnexpectedAdmissionError",
                "Pod was rejected: Allocate failed due to rpc error: code = FailedPrecondition desc = no share,"
                        + " which is unexpected");
    }

    @Test
    void tooFewFreeDevicesFailThePodForGood() {
        VirtualNode node = node();
        node.add(pod("first", container("main", M, 3)));
        PodSpec pod = pod("second", container("main", M, 2));
        node.add(pod);

        assertRejected(
                node,
                pod,
                "UnexpectedAdmissionError",
                "Pod was rejected: Allocate failed due to requested number of devices unavailable for "
                        + M + ". Requested: 2, Available: 1, which is unexpected");
    }

    @Test
    void anAnswerWithoutContainersFailsThePod() {
        VirtualNode node = node();
        node.allocate = ask -> Answer.of(AllocateResponse.getDefaultInstance());
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);

        assertTrue(node.status(pod).orElseThrow().message().contains("no containers return"));
    }

    @Test
    void anUnknownResourceIsSkippedWithoutAWordAndTheContainerStarts() {
        VirtualNode node = node();
        PodSpec pod = pod("p", container("main", C, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(2));

        assertEquals(0, node.all(Effect.AskAllocate.class).size());
        assertEquals(Phase.RUNNING, node.phase(pod));
    }

    @Test
    void quantityZeroNeedsNoCallButAHealthyDevice() {
        VirtualNode node = node();
        PodSpec fine = pod("fine", container("main", M, 0));
        node.add(fine);
        node.list(node.last(Effect.OpenListAndWatch.class).client(), List.of());
        PodSpec sick = pod("sick", container("main", M, 0));
        node.add(sick);

        assertEquals(0, node.all(Effect.AskAllocate.class).size());
        assertEquals(Phase.PENDING, node.phase(fine));
        assertTrue(
                node.status(sick).orElseThrow().message().contains("no healthy devices present"));
    }

    @Test
    void devicesAreAllocatedBeforeTheNodesOwnFitIsLookedAt() {
        VirtualNode node = node(KubeletSettings.of(1).withSize(new NodeSize(1000, 1000, 110)));
        PodSpec cpu = pod("cpu", container("main", M, 1).needing(new Need(1001, 0)));
        PodSpec memory = pod("memory", container("main", M, 1).needing(new Need(0, 1001)));
        node.add(cpu);
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
        assertRejected(
                node,
                cpu,
                "OutOfcpu",
                "Pod was rejected: Node didn't have enough resource: cpu, requested: 1001, used: 0, capacity: 1000");

        node.add(memory);
        assertEquals("OutOfmemory", node.status(memory).orElseThrow().reason());
    }

    @Test
    void podSlotsAreCounted() {
        VirtualNode node = node(KubeletSettings.of(1).withSize(new NodeSize(1000, 1000, 1)));
        PodSpec first = pod("first", container("main", M, 1));
        PodSpec second = pod("second", container("main", M, 1));
        node.add(first, second);
        assertEquals("OutOfpods", node.status(second).orElseThrow().reason());
    }

    @Test
    void aNodeSelectorThatDoesNotFitIsRefused() {
        VirtualNode node = node(KubeletSettings.of(1).withLabels(Map.of("zone", "a")));
        PodSpec fits = pod("fits", container("main", M, 1)).selecting(Map.of("zone", "a"));
        PodSpec strange = pod("strange", container("main", M, 1)).selecting(Map.of("zone", "b"));
        node.add(fits, strange);
        assertEquals(Phase.PENDING, node.phase(fits));
        assertEquals("NodeAffinity", node.status(strange).orElseThrow().reason());
    }

    @Test
    void podsOfOneBatchAreAdmittedOldestFirstAndOneAfterTheOther() {
        VirtualNode node = node();
        node.holdAnswers = true;
        PodSpec young = created("young", 20);
        PodSpec old = created("old", 10);
        node.add(young, old);

        assertEquals(1, node.held.size());
        node.answerAllocate();
        assertEquals(1, node.held.size());
        assertTrue(node.status(old).isPresent());
        assertTrue(node.status(young).isEmpty());
        node.answerAllocate();
        assertTrue(node.status(young).isPresent());
    }

    private static PodSpec created(String name, long second) {
        return PodSpec.of(
                new PodSpec.Id("ns", name, "uid-" + name),
                Instant.ofEpochSecond(second),
                List.of(container("main", M, 1)));
    }

    @Test
    void aSlowAllocateHoldsUpAllNewsAboutPods() {
        VirtualNode node = node();
        PodSpec other = pod("other", container("main", M, 1));
        node.add(other);
        node.advance(Duration.ofSeconds(2));
        node.holdAnswers = true;
        node.add(pod("slow", container("main", M, 1)));
        node.send(new Event.PodChanged(other.deleted(30)));

        assertEquals(0, node.all(Effect.SignalContainer.class).size());
        node.answerAllocate();
        assertEquals(1, node.all(Effect.SignalContainer.class).size());
    }

    @Test
    void initContainersAreServedBeforeAppsAndTheCheckpointIsWrittenPerContainer() {
        VirtualNode node = node();
        int before = node.all(Effect.WriteCheckpoint.class).size();
        PodSpec pod = pod(
                "p",
                container("app", M, 1),
                container("init", M, 1).as(Kind.INIT),
                container("other", M, 1));
        PodSpec ordered = PodSpec.of(
                pod.id(),
                pod.created(),
                List.of(
                        pod.containers().get(1),
                        pod.containers().get(0),
                        pod.containers().get(2)));
        node.add(ordered);

        assertEquals(before + 3, node.all(Effect.WriteCheckpoint.class).size());
        Checkpoint last = node.last(Effect.WriteCheckpoint.class).checkpoint();
        assertEquals(
                List.of("init", "app", "other"),
                last.entries().stream().map(Checkpoint.Entry::container).toList());
        assertEquals(IDS, last.registered().get(M));
    }

    @Test
    void aFailedPreStartIsTriedAgainAndThePodLives() {
        VirtualNode node = new VirtualNode(KubeletSettings.of(1)).knowingAllPods();
        node.register(M, new PluginOptions(true, false), IDS);
        node.preStart = ask -> Optional.of("rpc error: code = Unknown desc = not yet");
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(25));
        assertEquals(Phase.PENDING, node.phase(pod));
        assertEquals(3, node.all(Effect.AskPreStart.class).size());

        node.preStart = ask -> Optional.empty();
        node.advance(Duration.ofSeconds(12));
        assertEquals(Phase.RUNNING, node.phase(pod));
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
    }

    @Test
    void aContainerIsPreStartedOnlyWhenTheOneBeforeItWasHandedToTheRuntime() {
        VirtualNode node = new VirtualNode(KubeletSettings.of(1)).knowingAllPods();
        node.register(M, new PluginOptions(true, false), IDS);
        node.add(pod("p", container("first", M, 2), container("second", M, 1)));
        node.advance(Duration.ofSeconds(2));
        assertEquals(
                List.of("pre-start 2", "start first", "pre-start 1", "start second"),
                node.effects.stream()
                        .flatMap(effect -> switch (effect) {
                            case Effect.AskPreStart ask ->
                                Stream.of("pre-start " + ask.ids().size());
                            case Effect.StartContainer start ->
                                Stream.of("start " + start.launch().spec().name());
                            default -> Stream.empty();
                        })
                        .toList());
    }

    @Test
    void aFailedPreStartDoesNotHoldTheNextContainerUp() {
        VirtualNode node = new VirtualNode(KubeletSettings.of(1)).knowingAllPods();
        node.register(M, new PluginOptions(true, false), IDS);
        node.preStart = ask -> Optional.of("not yet").filter(why -> ask.ids().size() == 2);
        node.add(pod("p", container("first", M, 2), container("second", M, 1)));
        node.advance(Duration.ofSeconds(2));
        assertEquals(
                List.of("second"),
                node.all(Effect.StartContainer.class).stream()
                        .map(start -> start.launch().spec().name())
                        .toList());
    }

    @Test
    void preStartComesBeforeEveryStartAndAllocateOnlyOnce() {
        VirtualNode node = new VirtualNode(KubeletSettings.of(1)).knowingAllPods();
        node.register(M, new PluginOptions(true, false), IDS);
        PodSpec pod = pod("p", container("main", M, 2));
        node.add(pod);
        node.advance(Duration.ofSeconds(2));
        node.exit(pod.uid(), "main", 1);
        node.advance(Duration.ofSeconds(2));

        assertEquals(2, node.all(Effect.AskPreStart.class).size());
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
        assertEquals(1, node.status(pod).orElseThrow().containers().getFirst().restarts());
    }

    @Test
    void aResourceThatBecameKnownAfterAdmissionIsAllocatedAtTheStart() {
        VirtualNode node = node();
        PodSpec pod = pod("p", ContainerSpec.app("main", Map.of(M, 1L, C, 1L)));
        node.add(pod);
        node.register(C, PLAIN, List.of("a-c0"));
        node.advance(Duration.ofSeconds(2));

        assertEquals(List.of("a-c0"), node.ids(pod, "main", C));
        assertEquals(Phase.RUNNING, node.phase(pod));
    }

    @Test
    void aResourceThatBecameKnownAfterAdmissionIsNotAllocatedWherePreStartIsAskedFor() {
        VirtualNode node = node();
        PodSpec pod = pod("p", ContainerSpec.app("main", Map.of(M, 1L, C, 1L)));
        node.add(pod);
        node.register(C, new PluginOptions(true, false), List.of("a-c0"));
        node.advance(Duration.ofMinutes(5));

        assertEquals(Phase.PENDING, node.phase(pod));
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
    }

    /** Of such a one the Node object says 0, of a strange one it says nothing. */
    @Test
    void aResourceThatTheNodeHasLostFailsThePod() {
        VirtualNode node = new VirtualNode(KubeletSettings.of(1)).knowingAllPods();
        long client = node.register(M, PLAIN, IDS);
        node.send(new Event.StreamEnded(client));
        node.advance(Duration.ofMinutes(6));
        PodSpec pod = pod("p", container("main", M, 1));
        node.add(pod);

        PodStatusView status = node.status(pod).orElseThrow();
        assertEquals("OutOf" + M, status.reason());
        assertEquals(
                "Pod was rejected: Node didn't have enough resource: " + M
                        + ", requested: 1, used: 0, capacity: 0",
                status.message());
    }
}
