package dev.cede.testbed.kubelet.sockets;

import dev.cede.kubelet.podresources.AllocatableResourcesRequest;
import dev.cede.kubelet.podresources.AllocatableResourcesResponse;
import dev.cede.kubelet.podresources.ContainerDevices;
import dev.cede.kubelet.podresources.ContainerResources;
import dev.cede.kubelet.podresources.GetPodResourcesRequest;
import dev.cede.kubelet.podresources.GetPodResourcesResponse;
import dev.cede.kubelet.podresources.ListPodResourcesRequest;
import dev.cede.kubelet.podresources.ListPodResourcesResponse;
import dev.cede.kubelet.podresources.NUMANode;
import dev.cede.kubelet.podresources.PodResources;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc;
import dev.cede.kubelet.podresources.TopologyInfo;
import dev.cede.testbed.kubelet.core.Grant;
import dev.cede.testbed.kubelet.core.KubeletCore;
import dev.cede.testbed.kubelet.core.PodDevices;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Kubelet's PodResources: one entry a device, one rate limit for all callers. */
public final class PodResourcesService extends PodResourcesListerGrpc.PodResourcesListerImplBase {
    /** Kubelet's own numbers. */
    private static final double CALLS_A_SECOND = 100;

    private static final double BURST = 10;

    /** Asks the core on its own thread and gives the answer to the consumer. */
    public interface Core {
        <T> void ask(Function<KubeletCore, T> question, Consumer<T> answer);
    }

    private final Core core;
    private final LongSupplier nanos;
    private final RateLimit limit;

    public PodResourcesService(Core core, LongSupplier nanos) {
        this.core = core;
        this.nanos = nanos;
        this.limit = new RateLimit(CALLS_A_SECOND, BURST, nanos.getAsLong());
    }

    @Override
    public void list(
            ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
        if (refused(observer)) {
            return;
        }
        core.ask(KubeletCore::listPodResources, pods -> {
            ListPodResourcesResponse.Builder response = ListPodResourcesResponse.newBuilder();
            pods.forEach(pod -> response.addPodResources(pod(pod)));
            answer(observer, response.build());
        });
    }

    @Override
    public void get(
            GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
        if (refused(observer)) {
            return;
        }
        String namespace = request.getPodNamespace();
        String name = request.getPodName();
        core.ask(asked -> asked.getPodResources(namespace, name), found -> {
            if (found.isPresent()) {
                answer(
                        observer,
                        GetPodResourcesResponse.newBuilder()
                                .setPodResources(pod(found.get()))
                                .build());
            } else {
                observer.onError(Status.UNKNOWN
                        .withDescription(
                                "pod %s in namespace %s not found".formatted(name, namespace))
                        .asRuntimeException());
            }
        });
    }

    @Override
    public void getAllocatableResources(
            AllocatableResourcesRequest request,
            StreamObserver<AllocatableResourcesResponse> observer) {
        if (refused(observer)) {
            return;
        }
        core.ask(KubeletCore::allocatable, healthy -> {
            AllocatableResourcesResponse.Builder response =
                    AllocatableResourcesResponse.newBuilder();
            healthy.forEach((resource, ids) ->
                    ids.forEach(id -> response.addDevices(device(resource, id, Grant.NO_NUMA))));
            answer(observer, response.build());
        });
    }

    private boolean refused(StreamObserver<?> observer) {
        boolean refused = !limit.take(nanos.getAsLong());
        if (refused) {
            observer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("rejected by rate limit")
                    .asRuntimeException());
        }
        return refused;
    }

    private static <T> void answer(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }

    private static PodResources pod(PodDevices pod) {
        PodResources.Builder built =
                PodResources.newBuilder().setNamespace(pod.namespace()).setName(pod.name());
        pod.containers().forEach((name, grants) -> {
            ContainerResources.Builder container =
                    ContainerResources.newBuilder().setName(name);
            grants.forEach((resource, grant) -> container.addAllDevices(devices(resource, grant)));
            built.addContainers(container);
        });
        return built.build();
    }

    private static List<ContainerDevices> devices(String resource, Grant grant) {
        return grant.idsByNuma().entrySet().stream()
                .flatMap(node ->
                        node.getValue().stream().map(id -> device(resource, id, node.getKey())))
                .toList();
    }

    private static ContainerDevices device(String resource, String id, long numa) {
        ContainerDevices.Builder device =
                ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(id);
        if (numa != Grant.NO_NUMA) {
            device.setTopology(
                    TopologyInfo.newBuilder().addNodes(NUMANode.newBuilder().setID(numa)));
        }
        return device.build();
    }
}
