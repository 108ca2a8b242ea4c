package dev.cede.sandbox.kubernetes;

import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.apiserver.ApiServer;
import dev.cede.testbed.apiserver.ApiServerOptions;
import dev.cede.testbed.apiserver.NodeToken;
import dev.cede.testbed.kubelet.Kubelet;
import dev.cede.testbed.kubelet.api.HttpNodeApi;
import dev.cede.testbed.kubelet.core.Timing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** API server and kubelets that stand for real ones, all in this process. */
public final class StandIn implements Kubernetes {
    private static final Duration TOKEN = Duration.ofDays(1);
    private static final String KUBECONFIG = "kubeconfig";

    private final Path folder;
    private final CardSet cards;
    private final ApiServer server;
    private final KubernetesClient client;
    private final List<Kubelet> kubelets = new ArrayList<>();
    private final List<GpuNode> nodes = new ArrayList<>();

    private StandIn(Path folder, CardSet cards) throws IOException {
        this.folder = folder;
        this.cards = cards;
        this.server = ApiServer.start(ApiServerOptions.defaults());
        server.writeKubeconfig(kubeconfig());
        this.client = Clients.of(kubeconfig());
    }

    /** Starts one with so many nodes, whose files are in the folder that it is then given. */
    public static Function<Path, StandIn> of(int nodes, CardSet cards) {
        return folder -> start(folder, nodes, cards);
    }

    private static StandIn start(Path folder, int nodes, CardSet cards) {
        try {
            StandIn started = new StandIn(folder, cards);
            for (int i = 0; i < nodes; i++) {
                started.add("n" + i);
            }
            return started;
        } catch (IOException e) {
            throw new SandboxException("The API server does not start: " + e.getMessage(), e);
        }
    }

    private void add(String name) {
        Path root = folder.resolve(name);
        SimulatedCards machine = SimulatedCards.in(root.resolve("cards"));
        cards.into(machine);
        try {
            kubelets.add(Kubelet.builder(name, new HttpNodeApi(client))
                    .under(root)
                    .environment(machine.environment())
                    .seed(System.nanoTime())
                    .settings(now -> now.withLabels(SHARED_NODE).withTiming(Timing.brisk()))
                    .start());
        } catch (IOException e) {
            close();
            throw new SandboxException("The kubelet of " + name + " does not start: " + e, e);
        }
        nodes.add(new GpuNode(
                name,
                machine,
                root.resolve("agent"),
                root.resolve("device-plugins"),
                root.resolve("pod-resources/kubelet.sock"),
                root.resolve("proc"),
                UnaryOperator.identity()));
    }

    /** For those who make it fail. */
    public ApiServer server() {
        return server;
    }

    @Override
    public Path kubeconfig() {
        return folder.resolve(KUBECONFIG);
    }

    /** Everybody may do everything here. */
    @Override
    public Path coordinatorKubeconfig() {
        return kubeconfig();
    }

    @Override
    public KubernetesClient client() {
        return client;
    }

    @Override
    public String namespace() {
        return "default";
    }

    /** Its containers run gpu-hog whatever their image is. */
    @Override
    public HasMetadata adapted(HasMetadata object) {
        return object;
    }

    @Override
    public List<GpuNode> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public String agentToken(String node, String audience) {
        return server.issue(new NodeToken(
                namespace() + "/" + AGENT, node, audience, Instant.now().plus(TOKEN)));
    }

    /** All containers end; the folder is its owner's. */
    @Override
    public void close() {
        kubelets.forEach(Kubelet::close);
        client.close();
        server.close();
    }
}
