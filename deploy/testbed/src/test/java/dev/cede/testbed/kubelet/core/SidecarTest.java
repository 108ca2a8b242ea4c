package dev.cede.testbed.kubelet.core;

import static dev.cede.testbed.kubelet.core.VirtualNode.M;
import static dev.cede.testbed.kubelet.core.VirtualNode.container;
import static dev.cede.testbed.kubelet.core.VirtualNode.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.Event.PluginOptions;
import dev.cede.testbed.kubelet.core.PodSpec.RestartPolicy;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Init containers that run beside the others: what kubelet does with them (A6). */
final class SidecarTest {
    private static final List<String> IDS =
            IntStream.range(0, 8).mapToObj(id -> "a-m" + id).toList();

    private final VirtualNode node = VirtualNode.random(1).knowingAllPods();

    private final PodSpec pod = pod(
            "p",
            container("first", M, 2).as(Kind.SIDECAR),
            container("second", M, 1).as(Kind.SIDECAR),
            container("main", M, 3));

    private void runs(PodSpec spec) {
        node.register(M, new PluginOptions(false, false), IDS);
        node.add(spec);
        node.advance(Duration.ofSeconds(3));
        assertEquals(Phase.RUNNING, node.phase(spec));
    }

    private void delete(long grace) {
        node.clings = true;
        node.send(new Event.PodChanged(pod.deleted(grace)));
    }

    private List<String> told() {
        return node.all(Effect.SignalContainer.class).stream()
                .filter(signal -> !signal.kill())
                .map(Effect.SignalContainer::container)
                .toList();
    }

    private boolean isRunning(String container) {
        return node.running.containsKey(pod.uid() + "/" + container);
    }

    @Test
    void aSidecarsDevicesAreItsOwnWhileThoseOfAnInitContainerAreUsedAgain_A6() {
        for (Kind kind : List.of(Kind.SIDECAR, Kind.INIT)) {
            VirtualNode own = VirtualNode.random(1).knowingAllPods();
            own.register(M, new PluginOptions(false, false), IDS);
            own.add(pod("p", container("before", M, 2).as(kind), container("main", M, 3)));
            boolean apart =
                    Collections.disjoint(own.ids(pod, "before", M), own.ids(pod, "main", M));
            assertEquals(kind == Kind.SIDECAR, apart, kind::toString);
            assertEquals(kind == Kind.SIDECAR ? 5 : 3, own.core.inUse(M).size());
        }
    }

    @Test
    void sidecarsStartInTheirOrderAndBeforeTheAppContainers_A6() {
        runs(pod);
        assertEquals(
                List.of("first", "second", "main"),
                node.all(Effect.StartContainer.class).stream()
                        .map(start -> start.launch().spec().name())
                        .toList());
    }

    @Test
    void aSidecarStartsAgainWhateverItsPodSaysAndTheOthersGoOn() {
        runs(pod.restarting(RestartPolicy.NEVER));
        node.exit(pod.uid(), "first", 0);
        node.advance(Duration.ofSeconds(3));
        assertTrue(isRunning("first"));
        assertEquals(4, node.all(Effect.StartContainer.class).size());
        assertEquals(3, node.all(Effect.AskAllocate.class).size());
    }

    @Test
    void sidecarsEndAfterTheAppContainersTheLastOneFirst() {
        runs(pod);
        delete(30);
        assertEquals(List.of("main"), told());
        node.exit(pod.uid(), "main", 0);
        assertEquals(List.of("main", "second"), told());
        node.exit(pod.uid(), "second", 0);
        assertEquals(List.of("main", "second", "first"), told());
        assertFalse(node.phase(pod).isFinal());
        node.exit(pod.uid(), "first", 1);
        node.advance(Duration.ofSeconds(1));
        assertEquals(Phase.SUCCEEDED, node.phase(pod));
    }

    @Test
    void whenTheGraceIsOverAllSidecarsAreToldToEndAndSoonKilled() {
        runs(pod);
        delete(5);
        node.advance(Duration.ofMillis(4_900));
        assertEquals(List.of("main"), told());
        node.advance(Duration.ofMillis(200));
        assertFalse(isRunning("main"));
        assertEquals(
                List.of("first", "main", "second"), told().stream().sorted().toList());
        node.advance(Duration.ofSeconds(2));
        assertFalse(isRunning("first"));
        assertFalse(isRunning("second"));
    }

    @Test
    void aPodIsOverWhenItsAppContainersAreAndThenItsSidecarsEnd() {
        PodSpec once = pod.restarting(RestartPolicy.NEVER);
        runs(once);
        node.exit(pod.uid(), "main", 0);
        node.advance(Duration.ofSeconds(4));
        assertEquals(List.of("second", "first"), told());
        assertEquals(Phase.SUCCEEDED, node.phase(once));
    }
}
