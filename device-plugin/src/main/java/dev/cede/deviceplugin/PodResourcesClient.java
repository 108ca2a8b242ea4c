package dev.cede.deviceplugin;

import dev.cede.kubelet.podresources.ContainerDevices;
import dev.cede.kubelet.podresources.ContainerResources;
import dev.cede.kubelet.podresources.GetPodResourcesRequest;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc;

import io.grpc.ManagedChannel;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Kubelet's pod-resources API as a second witness. Only {@code Get}: {@code List} would make
 * kubelet free the devices of dead pods while another call is under way. It names pods without
 * their UID, so what it says holds only where the pod of that name is known otherwise.
 */
public final class PodResourcesClient implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final int RECEIVE_LIMIT = 16 << 20;

    private final ManagedChannel channel;

    public PodResourcesClient(UnixSockets sockets, Path socket) {
        this.channel = sockets.channel(socket);
    }

    /**
     * The devices of a pod; throws {@link io.grpc.StatusRuntimeException} where kubelet does not
     * answer or does not know the pod.
     */
    public List<KubeletEntry> get(String namespace, String name, String podUid) {
        var pod = PodResourcesListerGrpc.newBlockingStub(channel)
                .withDeadlineAfter(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .withMaxInboundMessageSize(RECEIVE_LIMIT)
                .get(GetPodResourcesRequest.newBuilder()
                        .setPodNamespace(namespace)
                        .setPodName(name)
                        .build())
                .getPodResources();
        List<KubeletEntry> entries = new ArrayList<>();
        for (ContainerResources container : pod.getContainersList()) {
            entries.addAll(entries(podUid, container));
        }
        return List.copyOf(entries);
    }

    /** Kubelet sends an entry a device, so they are collected by resource first. */
    private static List<KubeletEntry> entries(String podUid, ContainerResources container) {
        TreeMap<String, List<String>> byResource = new TreeMap<>();
        for (ContainerDevices devices : container.getDevicesList()) {
            byResource
                    .computeIfAbsent(devices.getResourceName(), name -> new ArrayList<>())
                    .addAll(devices.getDeviceIdsList());
        }
        List<KubeletEntry> entries = new ArrayList<>();
        for (DeviceKind kind : DeviceKind.values()) {
            List<String> ids = byResource.get(kind.resource());
            if (ids != null) {
                entries.add(new KubeletEntry(podUid, container.getName(), kind, ids));
            }
        }
        return entries;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
