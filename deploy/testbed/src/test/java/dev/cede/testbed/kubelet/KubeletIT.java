package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.KubeletRig.CORE;
import static dev.cede.testbed.kubelet.KubeletRig.LIMIT;
import static dev.cede.testbed.kubelet.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.KubeletRig.NODE;
import static dev.cede.testbed.kubelet.KubeletRig.pod;
import static dev.cede.testbed.kubelet.KubeletRig.uid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.TinyPlugin.Call;
import dev.cede.testbed.kubelet.core.PickMode;
import dev.cede.testbed.kubelet.sockets.PluginConnections;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kubelet's talk with device plugins, over real sockets. */
@Timeout(300)
final class KubeletIT {
    private static final List<String> MEM_A = TinyPlugin.ids("aaaaaaaa", 'm', 16);
    private static final List<String> CORE_A = TinyPlugin.ids("aaaaaaaa", 'c', 100);

    @Test
    void eachContainerIsServedResourceByResourceThenPreStarted() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            rig.plugin(MEMORY, MEM_A, plugin -> {
                plugin.preference = wish ->
                        wish.getAvailableDeviceIDsList().subList(0, wish.getAllocationSize());
                plugin.preStart = true;
                return plugin;
            });
            rig.plugin(CORE, CORE_A);
            assertEquals(
                    List.of("options", "list", "options", "list"),
                    rig.calls.stream().map(Call::name).toList());
            rig.calls.clear();

            Pod pod = twoContainers(pod("two", Map.of(MEMORY, 4, CORE, 50)));
            rig.running(rig.add(pod));

            List<String> order = rig.calls.stream()
                    .map(call -> call.name() + "/" + (call.resource().equals(MEMORY) ? "m" : "c"))
                    .toList();
            assertEquals(8, order.size(), order::toString);
            for (int container = 0; container < 2; container++) {
                List<String> calls = order.subList(3 * container, 3 * container + 3);
                assertTrue(
                        calls.equals(List.of("preferred/m", "allocate/m", "allocate/c"))
                                || calls.equals(List.of("allocate/c", "preferred/m", "allocate/m")),
                        order::toString);
            }
            assertEquals(List.of("prestart/m", "prestart/m"), order.subList(6, 8));
            // Only free devices are offered to the second container.
            assertEquals(12, rig.calls("preferred").get(1).ids().size());
        }
    }

    private static Pod twoContainers(Pod pod) {
        Container first = pod.getSpec().getContainers().getFirst();
        return new PodBuilder(pod)
                .editSpec()
                .addToContainers(new ContainerBuilder(first).withName("second").build())
                .endSpec()
                .build();
    }

    @Test
    void aPreferenceIsHonouredToTheIdEvenByTheWorstKubelet() throws IOException {
        try (KubeletRig rig =
                new KubeletRig(builder -> builder.settings(now -> now.withPicks(PickMode.WORST)))) {
            List<String> wanted = MEM_A.subList(3, 11);
            TinyPlugin plugin = rig.plugin(MEMORY, MEM_A, made -> {
                made.preference = wish -> wanted;
                return made;
            });
            Pod pod = rig.running(rig.add(pod("one", Map.of(MEMORY, 8))));

            assertEquals(
                    new TreeSet<>(wanted),
                    new TreeSet<>(rig.calls("allocate").getFirst().ids()));
            assertEquals(
                    new TreeSet<>(wanted),
                    new TreeSet<>(rig.kubelet.devicesOf(uid(pod)).get("main").get(MEMORY)));
            plugin.sendList();
        }
    }

    @Test
    void aRefusedAllocateFailsThePodForGoodWithThePluginsWords() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            rig.plugin(MEMORY, MEM_A, made -> {
                made.allocate = ids -> {
                    throw new IllegalStateException("no reservation for 8 units");
                };
                return made;
            });
            Pod pod = rig.api.awaitPhase(
                    uid(rig.add(pod("one", Map.of(MEMORY, 8)))), "Failed", LIMIT);

            assertEquals("UnexpectedAdmissionError", pod.getStatus().getReason());
            assertEquals(
                    "Pod was rejected: Allocate failed due to rpc error: code = FailedPrecondition desc ="
                            + " no reservation for 8 units, which is unexpected",
                    pod.getStatus().getMessage());
            assertEquals(NODE, pod.getSpec().getNodeName());
            rig.api.awaitPod(uid(pod), now -> !rig.api.events().isEmpty(), LIMIT);
            assertEquals("UnexpectedAdmissionError", rig.api.events().getFirst().getReason());
        }
    }

    @Test
    void aFailedPreStartIsTriedAgainAndThePodDoesNotFail() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            TinyPlugin plugin = rig.plugin(MEMORY, MEM_A, made -> {
                made.preStart = true;
                made.preStartRefusal = Optional.of("wrong card");
                return made;
            });
            Pod pod = rig.add(pod("one", Map.of(MEMORY, 8)));
            KubeletRig.await(() -> rig.calls("prestart").size() >= 2, "a second PreStartContainer");
            Pod waiting = rig.api.awaitPod(
                    uid(pod),
                    now -> now.getStatus()
                                            .getContainerStatuses()
                                            .getFirst()
                                            .getState()
                                            .getWaiting()
                                    != null
                            && now.getStatus()
                                    .getContainerStatuses()
                                    .getFirst()
                                    .getState()
                                    .getWaiting()
                                    .getMessage()
                                    .contains("wrong card"),
                    LIMIT);
            assertEquals("Pending", waiting.getStatus().getPhase());

            plugin.preStartRefusal = Optional.empty();
            rig.running(pod);
            assertEquals(1, rig.calls("allocate").size());
        }
    }

    @Test
    void registrationIsRefusedForAnotherVersionAndForANameThatIsNoExtendedResource()
            throws IOException {
        try (KubeletRig rig = KubeletRig.plain();
                TinyPlugin plugin = new TinyPlugin(
                        rig.root.resolve("device-plugins"), MEMORY, MEM_A, rig.calls)) {
            assertTrue(
                    assertThrows(StatusRuntimeException.class, () -> plugin.register("v1", MEMORY))
                            .getMessage()
                            .contains("requested API version"));
            assertTrue(assertThrows(
                            StatusRuntimeException.class, () -> plugin.register("v1beta1", "gpu"))
                    .getMessage()
                    .contains("ResourceName"));
            assertEquals(List.of(), rig.calls);
        }
    }

    @Test
    void registerFailsWhereNobodyServesBehindTheSocket() throws IOException {
        PluginConnections.Limits limits =
                new PluginConnections.Limits(Duration.ofMillis(300), Duration.ofSeconds(30));
        try (KubeletRig rig = new KubeletRig(builder -> builder.limits(limits));
                TinyPlugin plugin = new TinyPlugin(
                        rig.root.resolve("device-plugins"), MEMORY, MEM_A, rig.calls)) {
            assertTrue(assertThrows(
                            StatusRuntimeException.class,
                            () -> plugin.register("v1beta1", MEMORY, "nobody.sock"))
                    .getMessage()
                    .contains("failed to dial device plugin"));
        }
    }

    @Test
    void theEndOfAStreamTakesTheResourceFromTheNodeAndARegistrationBringsItBack()
            throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            TinyPlugin plugin = rig.plugin(MEMORY, MEM_A);
            rig.api.awaitAllocatable(NODE, MEMORY, 16, LIMIT);
            plugin.endStream();
            rig.api.awaitAllocatable(NODE, MEMORY, 0, LIMIT);
            assertEquals(
                    "16",
                    rig.api
                            .node(NODE)
                            .orElseThrow()
                            .getStatus()
                            .getCapacity()
                            .get(MEMORY)
                            .getAmount());
            plugin.register();
            rig.api.awaitAllocatable(NODE, MEMORY, 16, LIMIT);
        }
    }

    /** B26: kubelet comes back, the plugin's socket is wiped, running containers stay. */
    @Test
    void aRestartWipesSocketsAndKeepsContainersAndTheirDevices() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            TinyPlugin plugin = rig.plugin(MEMORY, MEM_A);
            Pod pod = rig.running(rig.add(pod("one", Map.of(MEMORY, 12))));
            long pid = rig.kubelet.pid(uid(pod), "main").orElseThrow();
            List<String> before = rig.kubelet.devicesOf(uid(pod)).get("main").get(MEMORY);
            Path directory = rig.root.resolve("device-plugins");
            Path stray = Files.writeString(directory.resolve("DEPRECATION"), "");

            rig.kubelet.restart();
            try (var left = Files.list(directory)) {
                assertEquals(
                        List.of("DEPRECATION", "kubelet.sock", "kubelet_internal_checkpoint"),
                        left.map(path -> path.getFileName().toString()).sorted().toList());
            }
            Files.delete(stray);
            KubeletRig.await(
                    () -> rig.kubelet.devicesOf(uid(pod)).containsKey("main"), "checkpoint");
            assertEquals(pid, rig.kubelet.pid(uid(pod), "main").orElseThrow());
            assertEquals(before, rig.kubelet.devicesOf(uid(pod)).get("main").get(MEMORY));
            assertEquals(1, rig.calls("allocate").size());

            plugin.close();
            rig.plugin(MEMORY, MEM_A);
            Pod greedy = rig.add(pod("greedy", Map.of(MEMORY, 5)));
            rig.api.awaitPhase(uid(greedy), "Failed", LIMIT);
            rig.running(rig.add(pod("modest", Map.of(MEMORY, 4))));
        }
    }
}
