package dev.cede.testbed.kubelet.contract;

import dev.cede.testbed.kubelet.Kubelet;
import dev.cede.testbed.kubelet.api.InMemoryNodeApi;
import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.core.PickMode;
import dev.cede.testbed.kubelet.core.Timing;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The stand-in, at its worst where kubelet may choose, with an API in memory unless told another. */
public final class StandInKubelet implements KubeletUnderTest {
    public static final String NODE = "n0";

    private final Path root;
    private final InMemoryNodeApi api = new InMemoryNodeApi();
    private final Kubelet kubelet;

    public StandInKubelet(UnaryOperator<Kubelet.Builder> change) {
        this(Optional.empty(), change);
    }

    /** With an API other than its own, which then stays empty. */
    public StandInKubelet(NodeApi other, UnaryOperator<Kubelet.Builder> change) {
        this(Optional.of(other), change);
    }

    private StandInKubelet(Optional<NodeApi> other, UnaryOperator<Kubelet.Builder> change) {
        try {
            this.root = Files.createTempDirectory("kl");
            Kubelet.Builder builder = Kubelet.builder(NODE, other.orElse(api))
                    .under(root)
                    .environment(Map.of("NVML_SIM_DIR", root.toString()))
                    .settings(now -> now.withTiming(Timing.brisk()).withPicks(PickMode.WORST));
            this.kubelet = change.apply(builder).start();
        } catch (IOException e) {
            throw new UncheckedIOException("the stand-in does not start", e);
        }
    }

    @Override
    public String name() {
        return NODE;
    }

    @Override
    public Path pluginDirectory() {
        return root.resolve("device-plugins");
    }

    @Override
    public Path podResourcesSocket() {
        return root.resolve("pod-resources").resolve("kubelet.sock");
    }

    /** Its stand-in for /proc. */
    public Path proc() {
        return root.resolve("proc");
    }

    @Override
    public Pod add(Pod pod) {
        return api.addPod(pod);
    }

    @Override
    public void delete(Pod pod, long grace) {
        api.deletePod(KubeletRig.uid(pod), grace);
    }

    @Override
    public Optional<Pod> current(Pod pod) {
        return api.pod(KubeletRig.uid(pod));
    }

    @Override
    public List<PodStatus> statuses(Pod pod) {
        return api.statuses(KubeletRig.uid(pod));
    }

    @Override
    public List<Event> events(Pod pod) {
        return api.events().stream()
                .filter(event ->
                        KubeletRig.uid(pod).equals(event.getInvolvedObject().getUid()))
                .toList();
    }

    @Override
    public Node node() {
        return api.node(NODE).orElseThrow();
    }

    @Override
    public Optional<Long> pid(Pod pod, String container) {
        return kubelet.pid(KubeletRig.uid(pod), container);
    }

    @Override
    public Path file(Pod pod, String container, String path) {
        return root.resolve("containers")
                .resolve(KubeletRig.uid(pod))
                .resolve(container)
                .resolve("rootfs")
                .resolve(Path.of("/").relativize(Path.of(path)));
    }

    /** What a container's process printed. */
    public String log(Pod pod, String container) {
        Path log = kubelet.logFile(KubeletRig.uid(pod), container);
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void stopKubelet() {
        kubelet.stop();
    }

    @Override
    public void startKubelet() {
        try {
            kubelet.startAgain();
        } catch (IOException e) {
            throw new UncheckedIOException("the stand-in does not start again", e);
        }
    }

    @Override
    public void close() {
        kubelet.close();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + root, e);
        }
    }
}
