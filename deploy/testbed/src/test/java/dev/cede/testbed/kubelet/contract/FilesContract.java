package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.KubeletRig.uid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.podresources.AllocatableResourcesRequest;
import dev.cede.kubelet.podresources.ContainerDevices;
import dev.cede.kubelet.podresources.ContainerResources;
import dev.cede.kubelet.podresources.GetPodResourcesRequest;
import dev.cede.kubelet.podresources.ListPodResourcesRequest;
import dev.cede.kubelet.podresources.PodResources;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc;
import dev.cede.testbed.kubelet.sockets.UnixSockets;
import io.fabric8.kubernetes.api.model.Pod;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What kubelet tells others about devices: its checkpoint and PodResources. */
abstract class FilesContract extends KubeletContract {
    private static Set<String> strings(JsonNode array) {
        Set<String> strings = new TreeSet<>();
        array.forEach(item -> strings.add(item.asString()));
        return strings;
    }

    @Test
    void theCheckpointTiesPodUidAndContainerToDeviceIds() throws IOException {
        List<String> ids = rig.ids('m', 8);
        ContainerAllocateResponse response =
                ContainerAllocateResponse.newBuilder().putEnvs("KEY", "value").build();
        rig.plugin(MEMORY, ids, plugin -> {
            plugin.allocate = unused -> TinyPlugin.answer(response);
            plugin.preference = wish -> ids.subList(0, 3);
            return plugin;
        });
        Pod pod = rig.add("one", Map.of(MEMORY, 3));
        rig.devices(pod, MEMORY);

        JsonNode root = JsonMapper.builder()
                .build()
                .readTree(Files.readString(
                        rig.kubelet.pluginDirectory().resolve("kubelet_internal_checkpoint")));
        assertTrue(root.get("Checksum").isIntegralNumber());
        JsonNode data = root.get("Data");
        assertEquals(new TreeSet<>(ids), strings(data.get("RegisteredDevices").get(MEMORY)));
        JsonNode entry = entry(data.get("PodDeviceEntries"), uid(pod));
        assertEquals("main", entry.get("ContainerName").asString());
        assertEquals(MEMORY, entry.get("ResourceName").asString());
        assertEquals(
                Set.of("-1"),
                entry.get("DeviceIDs").propertyNames().stream().collect(Collectors.toSet()));
        assertEquals(
                new TreeSet<>(ids.subList(0, 3)), strings(entry.get("DeviceIDs").get("-1")));
        byte[] bytes = Base64.getDecoder().decode(entry.get("AllocResp").asString());
        assertEquals(response, ContainerAllocateResponse.parseFrom(bytes));
    }

    private static JsonNode entry(JsonNode entries, String uid) {
        List<JsonNode> found = StreamSupport.stream(entries.spliterator(), false)
                .filter(entry -> entry.get("PodUID").asString().equals(uid))
                .toList();
        assertEquals(1, found.size(), entries::toString);
        return found.getFirst();
    }

    @Test
    void podResourcesHasOneEntryADevice() {
        List<String> ids = rig.ids('m', 8);
        rig.plugin(MEMORY, ids);
        Pod pod = rig.running(rig.add("one", Map.of(MEMORY, 3)));
        PodResources got =
                rig.podResources(kubelet -> kubelet.get(request(pod, "one"))).getPodResources();
        assertEquals(1, got.getContainersCount());
        ContainerResources container = got.getContainers(0);
        assertEquals("main", container.getName());
        assertEquals(3, container.getDevicesCount());
        assertTrue(container.getDevicesList().stream()
                .allMatch(device -> device.getDeviceIdsCount() == 1));
        assertEquals(rig.devices(pod, MEMORY), idsOf(container.getDevicesList()));

        List<PodResources> listed = rig.podResources(
                        kubelet -> kubelet.list(ListPodResourcesRequest.getDefaultInstance()))
                .getPodResourcesList();
        List<PodResources> same =
                listed.stream().filter(other -> sameName(other, got)).toList();
        assertEquals(1, same.size(), listed::toString);
        assertEquals(
                rig.devices(pod, MEMORY), idsOf(same.getFirst().getContainers(0).getDevicesList()));
        assertEquals(
                new TreeSet<>(ids),
                idsOf(rig.podResources(kubelet -> kubelet.getAllocatableResources(
                                AllocatableResourcesRequest.getDefaultInstance()))
                        .getDevicesList()));
    }

    private static boolean sameName(PodResources one, PodResources other) {
        return one.getName().equals(other.getName())
                && one.getNamespace().equals(other.getNamespace());
    }

    private static GetPodResourcesRequest request(Pod pod, String name) {
        return GetPodResourcesRequest.newBuilder()
                .setPodNamespace(pod.getMetadata().getNamespace())
                .setPodName(name)
                .build();
    }

    private static Set<String> idsOf(List<ContainerDevices> devices) {
        Set<String> ids = new TreeSet<>();
        devices.stream()
                .filter(device -> device.getResourceName().equals(MEMORY))
                .forEach(device -> ids.addAll(device.getDeviceIdsList()));
        return ids;
    }

    @Test
    void podResourcesGetOfAPodThatIsNotThereIsAnError() {
        rig.plugin(MEMORY, rig.ids('m', 8));
        Pod pod = rig.add("one", Map.of());
        StatusRuntimeException refusal = assertThrows(
                StatusRuntimeException.class,
                () -> rig.podResources(kubelet -> kubelet.get(request(pod, "other"))));
        assertEquals(Status.Code.UNKNOWN, refusal.getStatus().getCode());
        assertEquals(
                "pod other in namespace %s not found"
                        .formatted(pod.getMetadata().getNamespace()),
                refusal.getStatus().getDescription());
    }

    @Test
    void podResourcesHasOneLimitForAllCallers() {
        try (UnixSockets sockets = new UnixSockets()) {
            ManagedChannel channel = sockets.channel(rig.kubelet.podResourcesSocket());
            try {
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
}
