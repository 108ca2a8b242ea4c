package dev.cede.testbed.kubelet.contract;

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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A device plugin for one resource that notes each call and answers as it is told; a refusal is an
 * IllegalStateException. Each has a socket of its own name.
 */
public final class TinyPlugin implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** One call: its name and the devices it names. */
    record Call(String name, String resource, List<String> ids) {}

    private final UnixSockets sockets = new UnixSockets();
    private final Path directory;
    private final String resource;
    private final String endpoint;
    private final List<Call> calls;
    private final Server server;

    volatile List<String> ids;
    volatile boolean preStart;
    volatile DevicePluginOptions claim = DevicePluginOptions.getDefaultInstance();
    volatile Function<ContainerPreferredAllocationRequest, List<String>> preference;
    volatile Function<List<String>, AllocateResponse> allocate =
            unused -> answer(ContainerAllocateResponse.getDefaultInstance());
    volatile Optional<String> preStartRefusal = Optional.empty();
    private volatile Optional<StreamObserver<ListAndWatchResponse>> stream = Optional.empty();

    /** @param calls shared by plugins whose calls are to be seen in one order */
    TinyPlugin(Path directory, String resource, List<String> ids, List<Call> calls)
            throws IOException {
        this.directory = directory;
        this.resource = resource;
        this.endpoint = "tiny-%d-%d.sock"
                .formatted(ProcessHandle.current().pid(), NUMBERS.incrementAndGet());
        this.ids = ids;
        this.calls = calls;
        this.server = sockets.serve(directory.resolve(endpoint), new Service());
    }

    static AllocateResponse answer(ContainerAllocateResponse response) {
        return AllocateResponse.newBuilder().addContainerResponses(response).build();
    }

    /** As many of the offered devices as are asked for. */
    static List<String> first(ContainerPreferredAllocationRequest wish) {
        return wish.getAvailableDeviceIDsList().subList(0, wish.getAllocationSize());
    }

    String resource() {
        return resource;
    }

    Path socket() {
        return directory.resolve(endpoint);
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
                            .setOptions(claim)
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
        UnixSockets.stop(server, socket());
        sockets.close();
    }

    private final class Service extends DevicePluginImplBase {
        private void note(String name, List<String> ids) {
            calls.add(new Call(name, resource, List.copyOf(ids)));
        }

        private <T> void answer(StreamObserver<T> observer, Supplier<T> answer) {
            try {
                observer.onNext(answer.get());
                observer.onCompleted();
            } catch (IllegalStateException refusal) {
                observer.onError(Status.FAILED_PRECONDITION
                        .withDescription(refusal.getMessage())
                        .asRuntimeException());
            }
        }

        @Override
        public void getDevicePluginOptions(
                Empty request, StreamObserver<DevicePluginOptions> observer) {
            note("options", List.of());
            answer(
                    observer,
                    () -> DevicePluginOptions.newBuilder()
                            .setPreStartRequired(preStart)
                            .setGetPreferredAllocationAvailable(preference != null)
                            .build());
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
            answer(
                    observer,
                    () -> PreferredAllocationResponse.newBuilder()
                            .addContainerResponses(ContainerPreferredAllocationResponse.newBuilder()
                                    .addAllDeviceIDs(preference.apply(wish)))
                            .build());
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> observer) {
            List<String> wanted = request.getContainerRequests(0).getDevicesIdsList();
            note("allocate", wanted);
            answer(observer, () -> allocate.apply(wanted));
        }

        @Override
        public void preStartContainer(
                PreStartContainerRequest request,
                StreamObserver<PreStartContainerResponse> observer) {
            note("prestart", request.getDevicesIdsList());
            answer(observer, () -> {
                preStartRefusal.ifPresent(why -> {
                    throw new IllegalStateException(why);
                });
                return PreStartContainerResponse.getDefaultInstance();
            });
        }
    }
}
