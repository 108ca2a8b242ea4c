package dev.cede.deviceplugin;

import dev.cede.kubelet.deviceplugin.RegisterRequest;
import dev.cede.kubelet.deviceplugin.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One resource's socket and its registration. All but the gRPC handlers run on one thread. */
final class PluginEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(PluginEndpoint.class);
    private static final String API_VERSION = "v1beta1";

    /** Kubelet dials back inside the call, for 10 s at most. */
    private static final long REGISTER_SECONDS = 15;

    private final DeviceKind kind;
    private final DevicePlugin.Place place;
    private final KubeletCalls calls;
    private final Executor thread;
    private RegistrationWatch watch = RegistrationWatch.fresh();
    private int instances;
    private Optional<Bound> bound = Optional.empty();

    /** A server on its own socket file; kubelet tells instances apart by the file's name. */
    private record Bound(Path socket, Server server, PluginService service) {}

    PluginEndpoint(DeviceKind kind, DevicePlugin.Place place, KubeletCalls calls, Executor thread) {
        this.kind = kind;
        this.place = place;
        this.calls = calls;
        this.thread = thread;
    }

    void publish(List<Device> devices) {
        bound.ifPresent(each -> each.service().publish(devices));
    }

    void check(Optional<String> kubeletSocket, List<Device> devices) {
        boolean there = bound.map(each -> Files.exists(each.socket())).orElse(false);
        RegistrationWatch.Action action = watch.decide(kubeletSocket, there, now());
        if (action == RegistrationWatch.Action.REGISTER) {
            register(kubeletSocket.orElseThrow(), devices);
        }
    }

    private void register(String kubeletSocket, List<Device> devices) {
        try {
            closeServer();
            watch = watch.rebinding();
            Bound fresh = bind(devices);
            bound = Optional.of(fresh);
            callKubelet(fresh.socket());
            watch = watch.registered(kubeletSocket, now());
            LOG.info(
                    "event=registered resource={} socket={} devices={}",
                    kind.resource(),
                    fresh.socket().getFileName(),
                    devices.size());
        } catch (IOException | StatusRuntimeException e) {
            watch = watch.refused(kubeletSocket, now());
            LOG.warn(
                    "event=registration_failed resource={} reason=\"{}\"",
                    kind.resource(),
                    e.getMessage());
        }
    }

    private Bound bind(List<Device> devices) throws IOException {
        instances++;
        Path socket =
                place.directory().resolve(prefix() + place.nonce() + "-" + instances + ".sock");
        Files.deleteIfExists(socket);
        int instance = instances;
        PluginService service = new PluginService(kind, calls, streamOf(instance), devices);
        Server server =
                place.sockets().server(socket).addService(service).build().start();
        return new Bound(socket, server, service);
    }

    private PluginService.StreamWatcher streamOf(int instance) {
        return new PluginService.StreamWatcher() {
            @Override
            public void opened() {
                thread.execute(() -> stream(instance, true));
            }

            @Override
            public void closed() {
                thread.execute(() -> stream(instance, false));
            }
        };
    }

    /** What an older server's stream did means nothing any more. */
    private void stream(int instance, boolean open) {
        if (instance != instances) {
            return;
        }
        watch = open ? watch.opened() : watch.closed();
        LOG.info("event=kubelet_stream resource={} open={}", kind.resource(), open);
        calls.listening(kind, open);
    }

    private void callKubelet(Path socket) {
        ManagedChannel channel = place.sockets().channel(place.kubeletSocket());
        try {
            var unused = RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(REGISTER_SECONDS, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(API_VERSION)
                            .setEndpoint(socket.getFileName().toString())
                            .setResourceName(kind.resource())
                            .setOptions(PluginService.options(kind))
                            .build());
        } finally {
            channel.shutdownNow();
        }
    }

    /** The old server goes before the new one is registered, or kubelet mixes up their ends. */
    private void closeServer() throws IOException {
        if (bound.isPresent()) {
            boolean wasListening = watch.listening();
            bound.get().server().shutdownNow();
            Files.deleteIfExists(bound.get().socket());
            bound = Optional.empty();
            if (wasListening) {
                calls.listening(kind, false);
            }
        }
    }

    /** Sockets that earlier processes of ours left behind. */
    void removeStale() throws IOException {
        try (DirectoryStream<Path> stale =
                Files.newDirectoryStream(place.directory(), prefix() + "*.sock")) {
            for (Path socket : stale) {
                Files.deleteIfExists(socket);
            }
        }
    }

    private String prefix() {
        return "cede-" + kind.fileWord() + "-";
    }

    void close() {
        try {
            closeServer();
        } catch (IOException e) {
            LOG.warn("event=socket_left reason=\"{}\"", e.getMessage());
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
