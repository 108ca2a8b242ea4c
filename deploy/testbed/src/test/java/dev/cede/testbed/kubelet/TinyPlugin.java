package dev.cede.testbed.kubelet;

import dev.cede.kubelet.deviceplugin.AllocateRequest;
import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.ContainerPreferredAllocationResponse;
import dev.cede.kubelet.deviceplugin.Device;
import dev.cede.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginImplBase;
import dev.cede.kubelet.deviceplugin.DevicePluginOptions;
import dev.cede.kubelet.deviceplugin.Empty;
import dev.cede.kubelet.deviceplugin.ListAndWatchResponse;
import dev.cede.kubelet.deviceplugin.PreStartContainerRequest;
import dev.cede.kubelet.deviceplugin.PreStartContainerResponse;
import dev.cede.kubelet.deviceplugin.PreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.PreferredAllocationResponse;
import dev.cede.kubelet.deviceplugin.RegisterRequest;
import dev.cede.kubelet.deviceplugin.RegistrationGrpc;
import dev.cede.testbed.kubelet.sockets.UnixSockets;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A device plugin for one resource that notes each call and answers as it is told. */
final class TinyPlugin implements AutoCloseable {
    /** One call: its name and how many devices it names. */
    record Call(String name, String resource, List<String> ids) {}

    private final UnixSockets sockets = new UnixSockets();
    private final Path directory;
    private final String resource;
    private final String endpoint;
    private final List<Call> calls;
    private final Server server;

    volatile List<String> ids;
    volatile boolean preStart;
    volatile Function<ContainerPreferredAllocationRequest, List<String>> preference;
    volatile Function<List<String>, ContainerAllocateResponse> allocate =
            unused -> ContainerAllocateResponse.getDefaultInstance();
    volatile Optional<String> preStartRefusal = Optional.empty();
    private volatile Optional<StreamObserver<ListAndWatchResponse>> stream = Optional.empty();

    /** @param calls shared by plugins whose calls are to be seen in one order */
    TinyPlugin(Path directory, String resource, List<String> ids, List<Call> calls)
            throws IOException {
        this.directory = directory;
        this.resource = resource;
        this.endpoint = resource.replaceAll(".*[./]", "") + ".sock";
        this.ids = ids;
        this.calls = calls;
        this.server = sockets.serve(directory.resolve(endpoint), new Service());
    }

    static List<String> ids(String card, char kind, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add("%s-%c%04d".formatted(card, kind, i));
        }
        return ids;
    }

    void register() {
        register("v1beta1", resource);
    }

    void register(String version, String name) {
        register(version, name, endpoint);
    }

    void register(String version, String name, String socket) {
        ManagedChannel channel = sockets.channel(directory.resolve("kubelet.sock"));
        try {
            Empty unused = RegistrationGrpc.newBlockingStub(channel)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(version)
                            .setEndpoint(socket)
                            .setResourceName(name)
                            .build());
        } finally {
            channel.shutdownNow();
        }
    }

    void sendList() {
        stream.orElseThrow().onNext(list());
    }

    void endStream() {
        stream.orElseThrow().onCompleted();
    }

    private ListAndWatchResponse list() {
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        ids.forEach(id -> list.addDevices(Device.newBuilder().setID(id).setHealth("Healthy")));
        return list.build();
    }

    @Override
    public void close() {
        UnixSockets.stop(server, directory.resolve(endpoint));
        sockets.close();
    }

    private final class Service extends DevicePluginImplBase {
        private void note(String name, List<String> ids) {
            calls.add(new Call(name, resource, List.copyOf(ids)));
        }

        @Override
        public void getDevicePluginOptions(
                Empty request, StreamObserver<DevicePluginOptions> observer) {
            note("options", List.of());
            observer.onNext(DevicePluginOptions.newBuilder()
                    .setPreStartRequired(preStart)
                    .setGetPreferredAllocationAvailable(preference != null)
                    .build());
            observer.onCompleted();
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> observer) {
            note("list", List.of());
            observer.onNext(list());
            stream = Optional.of(observer);
        }

        @Override
        public void getPreferredAllocation(
                PreferredAllocationRequest request,
                StreamObserver<PreferredAllocationResponse> observer) {
            ContainerPreferredAllocationRequest wish = request.getContainerRequests(0);
            note("preferred", wish.getAvailableDeviceIDsList());
            observer.onNext(PreferredAllocationResponse.newBuilder()
                    .addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                            .addAllDeviceIDs(preference.apply(wish)))
                    .build());
            observer.onCompleted();
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> observer) {
            List<String> wanted = request.getContainerRequests(0).getDevicesIdsList();
            note("allocate", wanted);
            try {
                observer.onNext(AllocateResponse.newBuilder()
                        .addContainerResponses(allocate.apply(wanted))
                        .build());
                observer.onCompleted();
            } catch (IllegalStateException refusal) {
                observer.onError(Status.FAILED_PRECONDITION
                        .withDescription(refusal.getMessage())
                        .asRuntimeException());
            }
        }

        @Override
        public void preStartContainer(
                PreStartContainerRequest request,
                StreamObserver<PreStartContainerResponse> observer) {
            note("prestart", request.getDevicesIdsList());
            if (preStartRefusal.isPresent()) {
                observer.onError(Status.FAILED_PRECONDITION
                        .withDescription(preStartRefusal.get())
                        .asRuntimeException());
                return;
            }
            observer.onNext(PreStartContainerResponse.getDefaultInstance());
            observer.onCompleted();
        }
    }
}
