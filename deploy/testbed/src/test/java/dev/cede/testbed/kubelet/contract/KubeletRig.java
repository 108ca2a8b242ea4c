package dev.cede.testbed.kubelet.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.podresources.AllocatableResourcesRequest;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc;
import dev.cede.kubelet.podresources.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.cede.testbed.cluster.TestCluster;
import dev.cede.testbed.kubelet.contract.TinyPlugin.Call;
import dev.cede.testbed.kubelet.core.Checkpoint;
import dev.cede.testbed.kubelet.sockets.CheckpointFile;
import dev.cede.testbed.kubelet.sockets.UnixSockets;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A kubelet, device plugins, and pods whose program is gpu-hog. */
public final class KubeletRig implements AutoCloseable {
    /** Nobody else's, so that a node's own resources are left alone. */
    public static final String MEMORY = "contract.cede.dev/memory.128Mi";

    public static final String CORE = "contract.cede.dev/core.percentage";

    /** Generous: it only ends a test that has failed. */
    public static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long POLL_NANOS = 5_000_000;

    /** The program sleeps, in /proc/PID/stat: it waits for SIGTERM, and minds it. */
    private static final String WAITING = " (gpu-hog) S ";

    public final KubeletUnderTest kubelet;
    final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<TinyPlugin> plugins = new ArrayList<>();

    /** Starts the IDs of all cards: no two tests on one kubelet share an ID. */
    private final String cards = "%07x".formatted(ThreadLocalRandom.current().nextInt() >>> 4);

    public KubeletRig(KubeletUnderTest kubelet) {
        this.kubelet = kubelet;
    }

    /** IDs of one card; {@code kind} is m for memory and c for compute. */
    List<String> ids(char kind, int count) {
        return ids(0, kind, count);
    }

    List<String> ids(int index, char kind, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add("%s%x-%c%04d".formatted(cards, index, kind, i));
        }
        return ids;
    }

    /** A registered plugin whose list kubelet has taken. */
    TinyPlugin plugin(String resource, List<String> ids, UnaryOperator<TinyPlugin> change) {
        TinyPlugin plugin = change.apply(serve(resource, ids));
        plugin.register();
        awaitList(plugin);
        return plugin;
    }

    TinyPlugin plugin(String resource, List<String> ids) {
        return plugin(resource, ids, plugin -> plugin);
    }

    /** A plugin of so many devices of one card, which answers each Allocate so. */
    public void plugin(String resource, int count, ContainerAllocateResponse response) {
        plugin(resource, ids('m', count), plugin -> {
            plugin.allocate = unused -> TinyPlugin.answer(response);
            return plugin;
        });
    }

    /** A plugin that has not registered yet. */
    TinyPlugin serve(String resource, List<String> ids) {
        try {
            TinyPlugin plugin = new TinyPlugin(kubelet.pluginDirectory(), resource, ids, calls);
            plugins.add(plugin);
            return plugin;
        } catch (IOException e) {
            throw new UncheckedIOException("a plugin for " + resource, e);
        }
    }

    void awaitList(TinyPlugin plugin) {
        awaitHealthy(plugin.resource(), plugin.ids);
    }

    /** Waits until these are the devices of the resource that kubelet may give out or has given. */
    void awaitHealthy(String resource, Collection<String> ids) {
        Optional<Set<String>> wanted = Optional.of(new TreeSet<>(ids));
        await(() -> healthy(resource).equals(wanted), ids.size() + " devices of " + resource);
    }

    /** Empty while kubelet cannot be asked, or was asked too often. */
    private Optional<Set<String>> healthy(String resource) {
        try {
            return Optional.of(podResources(kubelet -> kubelet.getAllocatableResources(
                            AllocatableResourcesRequest.getDefaultInstance()))
                    .getDevicesList()
                    .stream()
                    .filter(device -> device.getResourceName().equals(resource))
                    .flatMap(device -> device.getDeviceIdsList().stream())
                    .collect(Collectors.toCollection(TreeSet::new)));
        } catch (StatusRuntimeException e) {
            return Optional.empty();
        }
    }

    Checkpoint checkpoint() {
        return new CheckpointFile(kubelet.pluginDirectory()).read();
    }

    /** The devices of the pod's container "main" once kubelet has filed them. */
    NavigableSet<String> devices(Pod pod, String resource) {
        await(() -> !filed(pod, resource).isEmpty(), "devices of " + name(pod));
        return filed(pod, resource);
    }

    private NavigableSet<String> filed(Pod pod, String resource) {
        NavigableSet<String> ids = new TreeSet<>();
        checkpoint().entries().stream()
                .filter(entry -> entry.podUid().equals(uid(pod)))
                .filter(entry -> entry.container().equals("main"))
                .filter(entry -> entry.resource().equals(resource))
                .forEach(entry -> ids.addAll(entry.grant().ids()));
        return ids;
    }

    <T> T podResources(Function<PodResourcesListerBlockingStub, T> question) {
        try (UnixSockets sockets = new UnixSockets()) {
            ManagedChannel channel = sockets.channel(kubelet.podResourcesSocket());
            try {
                return question.apply(PodResourcesListerGrpc.newBlockingStub(channel));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    /** A pod of one container, "main", for this node; its program uses no card. */
    public Pod pod(String name, Map<String, Integer> limits, String... args) {
        Map<String, Quantity> quantities = new TreeMap<>();
        limits.forEach(
                (resource, count) -> quantities.put(resource, new Quantity(String.valueOf(count))));
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(kubelet.name())
                .withTerminationGracePeriodSeconds(30L)
                .withAutomountServiceAccountToken(false)
                .addNewContainer()
                .withName("main")
                .withImage(TestCluster.GPU_HOG_IMAGE)
                .withImagePullPolicy("Never")
                .withArgs(args)
                .addNewEnv()
                .withName("GPU_HOG_MIB")
                .withValue("0")
                .endEnv()
                .withNewResources()
                .withLimits(quantities)
                .withRequests(quantities)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    public Pod add(String name, Map<String, Integer> limits, String... args) {
        return kubelet.add(pod(name, limits, args));
    }

    static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getName();
    }

    public Pod running(Pod pod) {
        Pod decided =
                await(pod, now -> List.of("Running", "Failed").contains(phase(now)), "Running");
        assertEquals("Running", phase(decided), decided::toString);
        return decided;
    }

    /** A pod that kubelet did not take. */
    public Pod rejected(Pod pod) {
        return await(pod, now -> phase(now).equals("Failed"), "Failed");
    }

    static String phase(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getPhase() == null
                ? ""
                : pod.getStatus().getPhase();
    }

    static boolean isFinal(Pod pod) {
        return List.of("Succeeded", "Failed").contains(phase(pod));
    }

    Pod await(Pod pod, Predicate<Pod> wanted, String what) {
        await(
                () -> kubelet.current(pod).filter(wanted).isPresent(),
                () -> what + ", pod " + name(pod) + ": " + kubelet.current(pod));
        return kubelet.current(pod).orElseThrow();
    }

    void awaitGone(Pod pod) {
        await(() -> kubelet.current(pod).isEmpty(), "end of pod " + name(pod));
    }

    /** The process of a running pod, once it minds SIGTERM. */
    public ProcessHandle process(Pod pod) {
        await(() -> kubelet.pid(pod, "main").filter(KubeletRig::waits).isPresent(), "the program");
        return ProcessHandle.of(kubelet.pid(pod, "main").orElseThrow()).orElseThrow();
    }

    private static boolean waits(long pid) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(pid), "stat"))
                    .startsWith(pid + WAITING);
        } catch (IOException e) {
            return false;
        }
    }

    public static void await(BooleanSupplier condition, String what) {
        await(condition, () -> what);
    }

    private static void await(BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT + ": " + what.get());
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
    public void close() {
        plugins.forEach(TinyPlugin::close);
        kubelet.close();
    }
}
