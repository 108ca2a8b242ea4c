package dev.cede.testbed.kubelet;

import dev.cede.testbed.kubelet.TinyPlugin.Call;
import dev.cede.testbed.kubelet.api.InMemoryNodeApi;
import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.core.Timing;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** One node for a test: kubelet, an API in memory, and a program that behaves as its flags say. */
final class KubeletRig implements AutoCloseable {
    static final String NODE = "n0";
    static final String MEMORY = "volcano.sh/gpu-mem.128Mi";
    static final String CORE = "volcano.sh/gpu-core.percentage";

    /** Generous: it only ends a test that has failed. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long POLL_NANOS = 5_000_000;

    /** A container that does what a hog does with time and signals, but uses no card. */
    private static final String PROGRAM = """
            #!/bin/sh
            for flag in "$@"; do
              case "$flag" in
                --cling) trap '' TERM ;;
                --exit=*) exit "${flag#--exit=}" ;;
                --env) env > "$TEST_ENV_FILE" ;;
              esac
            done
            echo ready
            exec sleep 1000
            """;

    final Path root;
    final InMemoryNodeApi api = new InMemoryNodeApi();
    final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
    final List<TinyPlugin> plugins = new ArrayList<>();
    final Kubelet kubelet;

    KubeletRig(UnaryOperator<Kubelet.Builder> change) throws IOException {
        this(Optional.empty(), change);
    }

    /** With an API other than the rig's own, which then stays empty. */
    KubeletRig(NodeApi other, UnaryOperator<Kubelet.Builder> change) throws IOException {
        this(Optional.of(other), change);
    }

    private KubeletRig(Optional<NodeApi> other, UnaryOperator<Kubelet.Builder> change)
            throws IOException {
        this.root = Files.createTempDirectory("kl");
        Path program = Files.writeString(root.resolve("program"), PROGRAM);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Kubelet.Builder builder = Kubelet.builder(NODE, other.orElse(api))
                .under(root)
                .gpuHog(program)
                .environment(Map.of("TEST_ENV_FILE", root.resolve("env").toString()))
                .settings(now -> now.withTiming(Timing.brisk()));
        this.kubelet = change.apply(builder).start();
    }

    static KubeletRig plain() throws IOException {
        return new KubeletRig(builder -> builder);
    }

    /** A registered plugin whose list kubelet has taken. */
    TinyPlugin plugin(String resource, List<String> ids, UnaryOperator<TinyPlugin> change)
            throws IOException {
        TinyPlugin plugin =
                change.apply(new TinyPlugin(root.resolve("device-plugins"), resource, ids, calls));
        plugins.add(plugin);
        plugin.register();
        await(() -> kubelet.healthy(resource).size() == ids.size(), "list of " + resource);
        return plugin;
    }

    TinyPlugin plugin(String resource, List<String> ids) throws IOException {
        return plugin(resource, ids, plugin -> plugin);
    }

    Pod add(Pod pod) {
        return api.addPod(pod);
    }

    static Pod pod(String name, Map<String, Integer> limits, String... args) {
        Map<String, Quantity> quantities = new TreeMap<>();
        limits.forEach(
                (resource, count) -> quantities.put(resource, new Quantity(String.valueOf(count))));
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .withTerminationGracePeriodSeconds(30L)
                .addNewContainer()
                .withName("main")
                .withImage("none")
                .withArgs(args)
                .withNewResources()
                .withLimits(quantities)
                .withRequests(quantities)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    Pod running(Pod pod) {
        return api.awaitPhase(uid(pod), "Running", LIMIT);
    }

    /** The process of a running pod, once it has set up what it does with signals. */
    ProcessHandle process(Pod pod) {
        await(() -> log(pod).contains("ready"), "the container's program");
        long pid = kubelet.pid(uid(pod), "main").orElseThrow();
        return ProcessHandle.of(pid).orElseThrow();
    }

    String log(Pod pod) {
        Path log = kubelet.logFile(uid(pod), "main");
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    List<Call> calls(String name) {
        synchronized (calls) {
            return calls.stream().filter(call -> call.name().equals(name)).toList();
        }
    }

    @Override
    public void close() throws IOException {
        kubelet.close();
        plugins.forEach(TinyPlugin::close);
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
