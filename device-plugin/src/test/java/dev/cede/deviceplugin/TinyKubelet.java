package dev.cede.deviceplugin;

import dev.cede.kubelet.deviceplugin.DevicePluginGrpc;
import dev.cede.kubelet.deviceplugin.Empty;
import dev.cede.kubelet.deviceplugin.ListAndWatchResponse;
import dev.cede.kubelet.deviceplugin.RegisterRequest;
import dev.cede.kubelet.deviceplugin.RegistrationGrpc;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** Kubelet's registration: dials back and asks the options inside the call, listens after it. */
final class TinyKubelet extends RegistrationGrpc.RegistrationImplBase implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final UnixSockets sockets;
    private final Path directory;
    private final List<RegisterRequest> registrations = new ArrayList<>();
    private final TreeMap<String, List<ListAndWatchResponse>> lists = new TreeMap<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<Context.CancellableContext> streams = new ArrayList<>();
    private int refuse;
    private boolean deaf;
    private Server server;

    TinyKubelet(UnixSockets sockets, Path directory) {
        this.sockets = sockets;
        this.directory = directory;
    }

    /** Like kubelet's start: removes every socket in the directory, then makes its own. */
    synchronized void start() throws IOException {
        try (var files = Files.newDirectoryStream(directory, "*.sock")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        server = sockets.server(directory.resolve("kubelet.sock"))
                .addService(this)
                .build()
                .start();
    }

    synchronized void stop() {
        server.shutdownNow();
        closeStreams();
        channels.forEach(ManagedChannel::shutdownNow);
        channels.clear();
    }

    synchronized void closeStreams() {
        streams.forEach(stream -> stream.cancel(null));
        streams.clear();
    }

    synchronized void refuseNext(int count) {
        refuse = count;
    }

    /** It registers plugins, and never listens to them. */
    synchronized void deaf(boolean now) {
        deaf = now;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> response) {
        synchronized (this) {
            if (refuse > 0) {
                refuse--;
                response.onError(Status.UNKNOWN.withDescription("not now").asRuntimeException());
                return;
            }
        }
        ManagedChannel channel = sockets.channel(directory.resolve(request.getEndpoint()));
        var options = DevicePluginGrpc.newBlockingStub(channel)
                .getDevicePluginOptions(Empty.getDefaultInstance());
        if (!options.equals(request.getOptions())) {
            throw new AssertionError("options differ: " + options);
        }
        response.onNext(Empty.getDefaultInstance());
        response.onCompleted();
        registered(request, channel);
    }

    private synchronized void registered(RegisterRequest request, ManagedChannel channel) {
        registrations.add(request);
        channels.add(channel);
        if (!deaf) {
            Context.CancellableContext stream = Context.ROOT.withCancellation();
            streams.add(stream);
            stream.run(() -> DevicePluginGrpc.newStub(channel)
                    .listAndWatch(Empty.getDefaultInstance(), new Lists(request)));
        }
        notifyAll();
    }

    private final class Lists implements StreamObserver<ListAndWatchResponse> {
        private final String resource;

        private Lists(RegisterRequest request) {
            this.resource = request.getResourceName();
        }

        @Override
        public void onNext(ListAndWatchResponse list) {
            listed(resource, list);
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    private synchronized void listed(String resource, ListAndWatchResponse list) {
        lists.computeIfAbsent(resource, name -> new ArrayList<>()).add(list);
        notifyAll();
    }

    synchronized int count(DeviceKind kind) {
        return (int) registrations.stream()
                .filter(each -> each.getResourceName().equals(kind.resource()))
                .count();
    }

    synchronized List<ListAndWatchResponse> lists(DeviceKind kind) {
        return List.copyOf(lists.getOrDefault(kind.resource(), List.of()));
    }

    synchronized RegisterRequest latest(DeviceKind kind) {
        return registrations.stream()
                .filter(each -> each.getResourceName().equals(kind.resource()))
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    /** A client of the plugin's latest instance. */
    synchronized DevicePluginGrpc.DevicePluginBlockingStub plugin(DeviceKind kind) {
        ManagedChannel channel = sockets.channel(directory.resolve(latest(kind).getEndpoint()));
        channels.add(channel);
        return DevicePluginGrpc.newBlockingStub(channel);
    }

    /** Until both resources are registered so often, and listened to. */
    void awaitRegistrations(int count) {
        await(
                count + " registrations",
                () -> count(DeviceKind.MEMORY) >= count && count(DeviceKind.CORE) >= count);
    }

    synchronized void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(
                        "not within " + LIMIT + ": " + what + "; registered " + registrations);
            }
            try {
                wait(1 + left / 1_000_000);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting for " + what, e);
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
