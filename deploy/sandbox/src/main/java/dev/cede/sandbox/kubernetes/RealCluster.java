package dev.cede.sandbox.kubernetes;

import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.cluster.ClusterNode;
import dev.cede.testbed.cluster.TestCluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Nodes of the real cluster of this machine, for one run at a time. Its objects are in a namespace
 * of their own; those that can be in none carry a label.
 */
public final class RealCluster implements Kubernetes {
    private static final String NAMESPACE = "cede-sandbox";
    private static final Map<String, String> OURS = Map.of("cede.dev/sandbox", "true");

    /** In a node's mount namespace. */
    private static final Path DEVICE_PLUGINS = Path.of("/var/lib/kubelet/device-plugins");

    /** For containers that take their time to end. */
    private static final long GONE_SECONDS = 120;

    private static final long SERVICE_ACCOUNT_SECONDS = 30;
    private static final long TOKEN_SECONDS = TimeUnit.DAYS.toSeconds(1);

    private final TestCluster cluster;
    private final List<ClusterNode> machines;
    private final KubernetesClient client;

    /** Nodes that are not shared during the run, and were before. */
    private final List<String> resting = new ArrayList<>();

    private RealCluster(TestCluster cluster, List<ClusterNode> machines) {
        this.cluster = cluster;
        this.machines = List.copyOf(machines);
        this.client = Clients.of(cluster.kubeconfig());
    }

    /** These nodes of the cluster, each with such cards; its other nodes are not shared meanwhile. */
    public static RealCluster start(
            TestCluster cluster, List<ClusterNode> machines, CardSet cards) {
        RealCluster started = new RealCluster(cluster, machines);
        try {
            started.clear(); // of a run that was cut off
            started.makeNamespace();
            started.share();
        } catch (RuntimeException e) {
            started.client.close();
            throw new SandboxException("The cluster cannot be used: " + e.getMessage(), e);
        }
        started.nodes().forEach(node -> cards.into(node.cards()));
        return started;
    }

    private void clear() {
        var namespace = client.namespaces().withName(NAMESPACE);
        namespace.delete();
        client.scheduling().v1().priorityClasses().withLabels(OURS).delete();
        namespace.waitUntilCondition(Objects::isNull, GONE_SECONDS, TimeUnit.SECONDS);
        nodes().forEach(node -> delete(node.agentState()));
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    /** No pod can be made in a namespace before it has a service account. */
    private void makeNamespace() {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        client.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, SERVICE_ACCOUNT_SECONDS, TimeUnit.SECONDS);
        client.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(AGENT)
                        .endMetadata()
                        .build())
                .create();
    }

    private void share() {
        List<String> names = machines.stream().map(ClusterNode::name).toList();
        for (Node node : client.nodes().list().getItems()) {
            String name = node.getMetadata().getName();
            boolean was = isShared(node);
            if (names.contains(name)) {
                label(name, true);
            } else if (was) {
                resting.add(name);
                label(name, false);
            }
        }
    }

    private static boolean isShared(Node node) {
        return node.getMetadata().getLabels().entrySet().containsAll(SHARED_NODE.entrySet());
    }

    /** A merge, which others who write to the node cannot conflict with. */
    private void label(String node, boolean shared) {
        String labels = SHARED_NODE.entrySet().stream()
                .map(label -> "\"%s\":%s"
                        .formatted(
                                label.getKey(), shared ? "\"" + label.getValue() + "\"" : "null"))
                .collect(Collectors.joining(","));
        client.nodes()
                .withName(node)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"labels\":{%s}}}".formatted(labels));
    }

    @Override
    public Path kubeconfig() {
        return cluster.kubeconfig();
    }

    @Override
    public Path coordinatorKubeconfig() {
        return cluster.coordinatorKubeconfig();
    }

    @Override
    public KubernetesClient client() {
        return client;
    }

    @Override
    public String namespace() {
        return NAMESPACE;
    }

    @Override
    public HasMetadata adapted(HasMetadata object) {
        if (!(object instanceof Namespaced)) {
            Map<String, String> labels = new TreeMap<>(OURS);
            labels.putAll(object.getMetadata().getLabels());
            object.getMetadata().setLabels(labels);
        }
        return HogContainers.in(object);
    }

    @Override
    public List<GpuNode> nodes() {
        return machines.stream().map(RealCluster::node).toList();
    }

    private static GpuNode node(ClusterNode machine) {
        return new GpuNode(
                machine.name(),
                SimulatedCards.in(machine.cards()),
                machine.folder().resolve("agent"),
                DEVICE_PLUGINS,
                machine.podResourcesSocket(),
                Path.of("/proc"),
                machine::inside);
    }

    /** Bound to the node itself: to the API server that is as good as a pod on it. */
    @Override
    public String agentToken(String node, String audience) {
        TokenRequest asked = new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(audience)
                .withExpirationSeconds(TOKEN_SECONDS)
                .withNewBoundObjectRef()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(node)
                .endBoundObjectRef()
                .endSpec()
                .build();
        return client.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName(AGENT)
                .tokenRequest(asked)
                .getStatus()
                .getToken();
    }

    /** When it returns, no container of the run is left. */
    @Override
    public void close() {
        clear();
        resting.forEach(name -> label(name, true));
        client.close();
    }
}
