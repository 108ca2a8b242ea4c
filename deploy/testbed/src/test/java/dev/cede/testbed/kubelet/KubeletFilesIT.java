package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.KubeletRig.CORE;
import static dev.cede.testbed.kubelet.KubeletRig.LIMIT;
import static dev.cede.testbed.kubelet.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.KubeletRig.pod;
import static dev.cede.testbed.kubelet.KubeletRig.uid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.Mount;
import dev.cede.kubelet.podresources.AllocatableResourcesRequest;
import dev.cede.kubelet.podresources.ContainerDevices;
import dev.cede.kubelet.podresources.GetPodResourcesRequest;
import dev.cede.kubelet.podresources.ListPodResourcesRequest;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.cede.nvml.sim.NativeBinaries;
import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.kubelet.processes.CgroupForm;
import dev.cede.testbed.kubelet.sockets.UnixSockets;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What kubelet leaves for others to read: checkpoint, PodResources, a container's surroundings. */
@Timeout(300)
final class KubeletFilesIT {
    private static final List<String> IDS = TinyPlugin.ids("aaaaaaaa", 'm', 8);

    private static JsonNode checkpoint(KubeletRig rig) throws IOException {
        Path file = rig.root.resolve("device-plugins").resolve("kubelet_internal_checkpoint");
        return JsonMapper.builder().build().readTree(Files.readString(file));
    }

    private static Set<String> strings(JsonNode array) {
        Set<String> strings = new TreeSet<>();
        array.forEach(item -> strings.add(item.asString()));
        return strings;
    }

    @Test
    void theCheckpointTiesPodUidAndContainerToDeviceIds() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            ContainerAllocateResponse response = ContainerAllocateResponse.newBuilder()
                    .putEnvs("KEY", "value")
                    .build();
            rig.plugin(MEMORY, IDS, made -> {
                made.allocate = ids -> response;
                made.preference = wish -> IDS.subList(0, 3);
                return made;
            });
            assertEquals(
                    new TreeSet<>(IDS),
                    strings(checkpoint(rig).get("Data").get("RegisteredDevices").get(MEMORY)));
            Pod pod = rig.running(rig.add(pod("one", Map.of(MEMORY, 3))));

            JsonNode root = checkpoint(rig);
            assertTrue(root.get("Checksum").isIntegralNumber());
            JsonNode entries = root.get("Data").get("PodDeviceEntries");
            assertEquals(1, entries.size());
            JsonNode entry = entries.get(0);
            assertEquals(uid(pod), entry.get("PodUID").asString());
            assertEquals("main", entry.get("ContainerName").asString());
            assertEquals(MEMORY, entry.get("ResourceName").asString());
            assertEquals(
                    Set.of("-1"),
                    entry.get("DeviceIDs").propertyNames().stream().collect(Collectors.toSet()));
            assertEquals(
                    new TreeSet<>(IDS.subList(0, 3)),
                    strings(entry.get("DeviceIDs").get("-1")));
            byte[] bytes = Base64.getDecoder().decode(entry.get("AllocResp").asString());
            assertEquals(response, ContainerAllocateResponse.parseFrom(bytes));
        }
    }

    @Test
    void podResourcesHasOneEntryADeviceAndOneLimitForAllCallers() throws IOException {
        try (KubeletRig rig = KubeletRig.plain();
                UnixSockets sockets = new UnixSockets()) {
            rig.plugin(MEMORY, IDS);
            rig.running(rig.add(pod("one", Map.of(MEMORY, 3))));
            ManagedChannel channel =
                    sockets.channel(rig.root.resolve("pod-resources").resolve("kubelet.sock"));
            try {
                PodResourcesListerBlockingStub kubelet =
                        PodResourcesListerGrpc.newBlockingStub(channel);
                List<ContainerDevices> devices = kubelet.get(GetPodResourcesRequest.newBuilder()
                                .setPodNamespace("default")
                                .setPodName("one")
                                .build())
                        .getPodResources()
                        .getContainers(0)
                        .getDevicesList();
                assertEquals(3, devices.size());
                assertTrue(devices.stream().allMatch(device -> device.getDeviceIdsCount() == 1));
                assertThrows(
                        StatusRuntimeException.class,
                        () -> kubelet.get(GetPodResourcesRequest.newBuilder()
                                .setPodName("other")
                                .build()));
                assertEquals(
                        8,
                        kubelet.getAllocatableResources(
                                        AllocatableResourcesRequest.getDefaultInstance())
                                .getDevicesCount());
                StatusRuntimeException refused =
                        assertThrows(StatusRuntimeException.class, () -> flood(channel));
                assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
                assertEquals("rejected by rate limit", refused.getStatus().getDescription());
            } finally {
                channel.shutdownNow();
            }
        }
    }

    /** Many at once; a busy machine may be too slow for the limit when asked one by one. */
    private static void flood(ManagedChannel channel) {
        var stub = PodResourcesListerGrpc.newFutureStub(channel);
        List<ListenableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(stub.list(ListPodResourcesRequest.getDefaultInstance()));
        }
        for (var call : calls) {
            try {
                call.get();
            } catch (ExecutionException e) {
                throw (StatusRuntimeException) e.getCause();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void aContainerHoldsTheCardAndTheMemoryThatItsPluginsSay() throws IOException {
        Path folder = Files.createTempDirectory("kc");
        SimulatedCards cards = SimulatedCards.in(folder.resolve("cards"));
        String uuid = cards.add(1024, 0).uuid();
        Path limits = Files.createDirectory(folder.resolve("limits-of-one"));
        try (KubeletRig rig = new KubeletRig(builder ->
                builder.gpuHog(NativeBinaries.gpuHog()).environment(cards.environment()))) {
            rig.plugin(MEMORY, IDS, made -> {
                made.allocate = ids -> ContainerAllocateResponse.newBuilder()
                        .putEnvs("NVIDIA_VISIBLE_DEVICES", uuid)
                        .addMounts(Mount.newBuilder()
                                .setContainerPath("/var/run/cede")
                                .setHostPath(limits.toString())
                                .setReadOnly(true))
                        .build();
                return made;
            });
            Files.writeString(limits.resolve("limits"), "memory_mib=512\ncore_percentage=50\n");
            Pod pod = rig.running(rig.add(pod("one", Map.of(MEMORY, 4), "--cling-seconds=0")));
            long pid = rig.kubelet.pid(uid(pod), "main").orElseThrow();
            KubeletRig.await(() -> rig.log(pod).contains("holds mib=512"), "the hog's claim");

            Path entry = rig.root.resolve("proc").resolve(String.valueOf(pid));
            assertTrue(
                    read(entry.resolve("cgroup"))
                            .matches(
                                    "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod"
                                            + uid(pod).replace('-', '_')
                                            + ".slice/cri-containerd-[0-9a-f]{64}.scope\n"),
                    () -> read(entry.resolve("cgroup")));
            assertTrue(read(entry.resolve("stat")).startsWith(pid + " "));
            rig.api.deletePod(uid(pod), 30);
            rig.api.awaitGone(uid(pod), LIMIT);
            KubeletRig.await(() -> !Files.exists(entry), "end of the process's entry");
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void aPodsOwnVariableHidesAPluginsAndVersionOneCgroupsCanBeHad() throws IOException {
        try (KubeletRig rig = new KubeletRig(builder -> builder.cgroups(CgroupForm.V1_CGROUPFS))) {
            rig.plugin(MEMORY, IDS, made -> {
                made.allocate = ids -> ContainerAllocateResponse.newBuilder()
                        .putEnvs("WHO", "plugin")
                        .putEnvs("LIMIT", "plugin")
                        .build();
                return made;
            });
            Pod pod = pod("one", Map.of(MEMORY, 1), "--env");
            pod.getSpec().getContainers().getFirst().getEnv().add(new EnvVar("WHO", "pod", null));
            Pod running = rig.running(rig.add(pod));
            Path env = rig.root.resolve("env");
            KubeletRig.await(() -> read(env).contains("PWD"), "the container's environment");
            List<String> lines = read(env).lines().toList();
            assertTrue(lines.contains("WHO=pod"), lines::toString);
            assertTrue(lines.contains("LIMIT=plugin"), lines::toString);
            assertFalse(
                    lines.stream().anyMatch(line -> line.startsWith("JAVA_HOME")), lines::toString);

            long pid = rig.kubelet.pid(uid(running), "main").orElseThrow();
            String cgroup = read(rig.root.resolve("proc").resolve(pid + "/cgroup"));
            assertTrue(
                    cgroup.lines()
                            .anyMatch(line -> line.matches("12:memory:/kubepods/besteffort/pod"
                                    + uid(running) + "/[0-9a-f]{64}")),
                    cgroup);
        }
    }

    @Test
    void nineThousandDevicesAreNoTrouble() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            List<String> memory = new ArrayList<>();
            List<String> core = new ArrayList<>();
            for (int card = 0; card < 8; card++) {
                String name = "%08x".formatted(0xaaaa0000 + card);
                memory.addAll(TinyPlugin.ids(name, 'm', 1123));
                core.addAll(TinyPlugin.ids(name, 'c', 100));
            }
            rig.plugin(MEMORY, memory, made -> {
                made.preference = wish ->
                        wish.getAvailableDeviceIDsList().subList(0, wish.getAllocationSize());
                return made;
            });
            rig.plugin(CORE, core);
            Pod big = rig.running(rig.add(pod("big", Map.of(MEMORY, 8900, CORE, 700))));
            rig.running(rig.add(pod("small", Map.of(MEMORY, 84, CORE, 100))));

            assertEquals(
                    8900,
                    rig.kubelet.devicesOf(uid(big)).get("main").get(MEMORY).size());
            assertEquals(4, checkpoint(rig).get("Data").get("PodDeviceEntries").size());
        }
    }
}
