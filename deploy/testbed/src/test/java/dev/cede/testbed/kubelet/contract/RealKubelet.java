package dev.cede.testbed.kubelet.contract;

import dev.cede.testbed.cluster.ClusterNode;
import dev.cede.testbed.cluster.TestCluster;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A node of the real cluster, seen through one watch over a namespace of its own. */
final class RealKubelet implements KubeletUnderTest {
    private final ClusterNode node;
    private final KubernetesClient client;
    private final String namespace;
    private final Pods pods = new Pods();
    private final Watch watch;
    private boolean stopped;

    RealKubelet(TestCluster cluster, ClusterNode node) {
        this.node = node;
        this.client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(cluster.kubeconfig().toFile()))
                .build();
        this.namespace = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName("kubelet-")
                        .endMetadata()
                        .build())
                .create()
                .getMetadata()
                .getName();
        // Pods are refused until there is one; its controller would take a moment.
        client.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("default")
                        .withNamespace(namespace)
                        .endMetadata()
                        .build())
                .createOr(NonDeletingOperation::update);
        this.watch = client.pods().inNamespace(namespace).watch(pods);
    }

    /** The namespace's pods as the watch has told them. */
    private static final class Pods implements Watcher<Pod> {
        private final Map<String, Pod> current = new LinkedHashMap<>();
        private final Map<String, List<PodStatus>> statuses = new LinkedHashMap<>();

        @Override
        public synchronized void eventReceived(Action action, Pod pod) {
            String uid = KubeletRig.uid(pod);
            if (action == Action.DELETED) {
                current.remove(uid);
                return;
            }
            current.put(uid, pod);
            List<PodStatus> had = statuses.computeIfAbsent(uid, unused -> new ArrayList<>());
            if (had.isEmpty() || !had.getLast().equals(pod.getStatus())) {
                had.add(pod.getStatus());
            }
        }

        @Override
        public void onClose(WatcherException cause) {
            throw new IllegalStateException("the watch has ended", cause);
        }

        synchronized Optional<Pod> current(Pod pod) {
            return Optional.ofNullable(current.get(KubeletRig.uid(pod)));
        }

        synchronized List<Pod> all() {
            return List.copyOf(current.values());
        }

        synchronized List<PodStatus> statuses(Pod pod) {
            return List.copyOf(statuses.getOrDefault(KubeletRig.uid(pod), List.of()));
        }
    }

    @Override
    public String name() {
        return node.name();
    }

    @Override
    public Path pluginDirectory() {
        return node.devicePluginDirectory();
    }

    @Override
    public Path podResourcesSocket() {
        return node.podResourcesSocket();
    }

    /** Returns once the watch has told of it, so that "not there" means "gone". */
    @Override
    public Pod add(Pod pod) {
        Pod added = client.pods().inNamespace(namespace).resource(pod).create();
        KubeletRig.await(() -> pods.current(added).isPresent(), "news of the pod");
        return added;
    }

    @Override
    public void delete(Pod pod, long grace) {
        client.pods()
                .inNamespace(namespace)
                .resource(pod)
                .withGracePeriod(grace)
                .delete();
    }

    @Override
    public Optional<Pod> current(Pod pod) {
        return pods.current(pod);
    }

    @Override
    public List<PodStatus> statuses(Pod pod) {
        return pods.statuses(pod);
    }

    @Override
    public List<Event> events(Pod pod) {
        return client.v1()
                .events()
                .inNamespace(namespace)
                .withField("involvedObject.uid", KubeletRig.uid(pod))
                .list()
                .getItems();
    }

    @Override
    public Node node() {
        return client.nodes().withName(node.name()).get();
    }

    @Override
    public Optional<Long> pid(Pod pod, String container) {
        return current(pod).stream()
                .flatMap(now -> now.getStatus().getContainerStatuses().stream())
                .filter(status -> status.getName().equals(container))
                .filter(status -> status.getState().getRunning() != null)
                .map(status -> status.getContainerID().replaceFirst("containerd://", ""))
                .findFirst()
                .flatMap(RealKubelet::firstProcess);
    }

    /** Containers' cgroups end in their IDs. */
    private static Optional<Long> firstProcess(String containerId) {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(process -> process.getFileName().toString().matches("[0-9]+"))
                    .filter(process -> read(process.resolve("cgroup")).contains(containerId))
                    .map(process -> Long.valueOf(process.getFileName().toString()))
                    .sorted()
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empty for a process that is gone meanwhile. */
    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public Path file(Pod pod, String container, String path) {
        return Path.of("/proc", String.valueOf(pid(pod, container).orElseThrow()), "root" + path);
    }

    @Override
    public void stopKubelet() {
        stopped = true;
        node.stopKubelet();
    }

    @Override
    public void startKubelet() {
        node.startKubelet();
        stopped = false;
    }

    @Override
    public void close() {
        if (stopped) {
            startKubelet();
        }
        pods.all().forEach(pod -> delete(pod, 0));
        KubeletRig.await(() -> pods.all().isEmpty(), "end of all pods");
        watch.close();
        client.namespaces().withName(namespace).delete();
        client.close();
    }
}
