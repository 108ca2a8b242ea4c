package dev.cede.testbed.kubelet.sockets;

import dev.cede.kubelet.deviceplugin.AllocateRequest;
import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.cede.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.Device;
import dev.cede.kubelet.deviceplugin.DevicePluginGrpc;
import dev.cede.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginStub;
import dev.cede.kubelet.deviceplugin.DevicePluginOptions;
import dev.cede.kubelet.deviceplugin.Empty;
import dev.cede.kubelet.deviceplugin.ListAndWatchResponse;
import dev.cede.kubelet.deviceplugin.NUMANode;
import dev.cede.kubelet.deviceplugin.PreStartContainerRequest;
import dev.cede.kubelet.deviceplugin.PreStartContainerResponse;
import dev.cede.kubelet.deviceplugin.PreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.PreferredAllocationResponse;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.PluginDevice;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Kubelet's calls to plugins. What they answer goes to the consumer as events, from any thread. */
public final class PluginConnections implements AutoCloseable {
    /**
     * How long kubelet waits. It waits for options, preferences and Allocate without end.
     *
     * @param dial for a plugin's socket to take the connection
     * @param preStart for PreStartContainer
     */
    public record Limits(Duration dial, Duration preStart) {
        /** Kubelet's own. */
        public static Limits real() {
            return new Limits(Duration.ofSeconds(10), Duration.ofSeconds(30));
        }
    }

    /** Where plugins' sockets are, and how they are dialled. */
    public record Settings(UnixSockets sockets, Path directory, Limits limits) {}

    private final Settings settings;
    private final ScheduledExecutorService clock;
    private final Consumer<Event> events;
    private final Map<Long, ManagedChannel> channels = new ConcurrentHashMap<>();

    public PluginConnections(
            Settings settings, ScheduledExecutorService clock, Consumer<Event> events) {
        this.settings = settings;
        this.clock = clock;
        this.events = events;
    }

    /** Connects and asks the options. Only connecting has a limit. */
    public void dial(Effect.DialPlugin dial) {
        ManagedChannel channel =
                settings.sockets().channel(settings.directory().resolve(dial.endpoint()));
        channels.put(dial.client(), channel);
        AtomicBoolean answered = new AtomicBoolean();
        stub(channel)
                .withWaitForReady()
                .getDevicePluginOptions(Empty.getDefaultInstance(), new Single<>() {
                    @Override
                    void answer(Answer<DevicePluginOptions> answer) {
                        if (answered.compareAndSet(false, true)) {
                            options(dial.client(), answer);
                        }
                    }
                });
        Future<?> unused = clock.schedule(
                () -> {
                    if (channel.getState(false) != ConnectivityState.READY
                            && answered.compareAndSet(false, true)) {
                        failed(
                                dial.client(),
                                "failed to dial device plugin: context deadline exceeded");
                    }
                },
                settings.limits().dial().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void options(long client, Answer<DevicePluginOptions> answer) {
        if (answer.value().isEmpty()) {
            failed(client, answer.error());
            return;
        }
        DevicePluginOptions options = answer.value().get();
        events.accept(new Event.PluginDialed(
                client,
                new Event.PluginOptions(
                        options.getPreStartRequired(),
                        options.getGetPreferredAllocationAvailable())));
    }

    private void failed(long client, String why) {
        close(client);
        events.accept(new Event.PluginDialFailed(client, why));
    }

    public void listAndWatch(long client) {
        ManagedChannel channel = channels.get(client);
        if (channel == null) {
            events.accept(new Event.StreamEnded(client));
            return;
        }
        stub(channel).listAndWatch(Empty.getDefaultInstance(), new StreamObserver<>() {
            @Override
            public void onNext(ListAndWatchResponse list) {
                events.accept(new Event.DevicesListed(
                        client,
                        list.getDevicesList().stream()
                                .map(PluginConnections::device)
                                .toList()));
            }

            @Override
            public void onError(Throwable error) {
                events.accept(new Event.StreamEnded(client));
            }

            @Override
            public void onCompleted() {
                events.accept(new Event.StreamEnded(client));
            }
        });
    }

    private static PluginDevice device(Device device) {
        List<Long> nodes = device.getTopology().getNodesList().stream()
                .map(NUMANode::getID)
                .toList();
        return new PluginDevice(device.getID(), device.getHealth().equals("Healthy"), nodes);
    }

    public void preference(Effect.AskPreference ask) {
        PreferredAllocationRequest request = PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(ask.available())
                        .addAllMustIncludeDeviceIDs(ask.mustInclude())
                        .setAllocationSize(ask.size()))
                .build();
        Single<PreferredAllocationResponse> observer = new Single<>() {
            @Override
            void answer(Answer<PreferredAllocationResponse> answer) {
                events.accept(new Event.PreferenceAnswered(ask.call(), preferred(answer)));
            }
        };
        call(ask.client(), observer, stub -> stub.getPreferredAllocation(request, observer));
    }

    private static Answer<List<String>> preferred(Answer<PreferredAllocationResponse> answer) {
        return answer.value()
                .map(response -> Answer.of(
                        response.getContainerResponsesCount() == 0
                                ? List.<String>of()
                                : List.copyOf(
                                        response.getContainerResponses(0).getDeviceIDsList())))
                .orElseGet(() -> Answer.failed(answer.error()));
    }

    public void allocate(Effect.AskAllocate ask) {
        AllocateRequest request = AllocateRequest.newBuilder()
                .addContainerRequests(
                        ContainerAllocateRequest.newBuilder().addAllDevicesIds(ask.ids()))
                .build();
        Single<AllocateResponse> observer = new Single<>() {
            @Override
            void answer(Answer<AllocateResponse> answer) {
                events.accept(new Event.AllocateAnswered(ask.call(), answer));
            }
        };
        call(ask.client(), observer, stub -> stub.allocate(request, observer));
    }

    public void preStart(Effect.AskPreStart ask) {
        PreStartContainerRequest request = PreStartContainerRequest.newBuilder()
                .addAllDevicesIds(ask.ids())
                .build();
        Single<PreStartContainerResponse> observer = new Single<>() {
            @Override
            void answer(Answer<PreStartContainerResponse> answer) {
                Optional<String> error =
                        answer.value().isPresent() ? Optional.empty() : Optional.of(answer.error());
                events.accept(new Event.PreStartAnswered(ask.call(), error));
            }
        };
        call(
                ask.client(),
                observer,
                stub -> stub.withDeadlineAfter(
                                settings.limits().preStart().toMillis(), TimeUnit.MILLISECONDS)
                        .preStartContainer(request, observer));
    }

    private void call(long client, Single<?> observer, Consumer<DevicePluginStub> call) {
        ManagedChannel channel = channels.get(client);
        if (channel == null) {
            observer.answer(Answer.failed("endpoint has been stopped"));
        } else {
            call.accept(stub(channel));
        }
    }

    private static DevicePluginStub stub(ManagedChannel channel) {
        return DevicePluginGrpc.newStub(channel);
    }

    public void close(long client) {
        ManagedChannel channel = channels.remove(client);
        if (channel != null) {
            channel.shutdownNow();
        }
    }

    @Override
    public void close() {
        channels.keySet().forEach(this::close);
    }

    /** A call with one answer. */
    private abstract static class Single<T> implements StreamObserver<T> {
        private final AtomicBoolean done = new AtomicBoolean();

        abstract void answer(Answer<T> answer);

        @Override
        public void onNext(T value) {
            if (done.compareAndSet(false, true)) {
                answer(Answer.of(value));
            }
        }

        @Override
        public void onError(Throwable error) {
            if (done.compareAndSet(false, true)) {
                answer(Answer.failed(GoErrors.text(error)));
            }
        }

        @Override
        public void onCompleted() {
            if (done.compareAndSet(false, true)) {
                answer(Answer.failed("rpc error: code = Internal desc = no answer"));
            }
        }
    }
}
