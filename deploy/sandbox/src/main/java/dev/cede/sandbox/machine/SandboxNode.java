package dev.cede.sandbox.machine;

import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.kubelet.Kubelet;
import dev.cede.testbed.kubelet.api.HttpNodeApi;
import dev.cede.testbed.kubelet.core.Timing;

import io.fabric8.kubernetes.client.KubernetesClient;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A node: its own cards, a kubelet in this process, and an agent in a process of its own. */
final class SandboxNode implements AutoCloseable {
    /** What makes a node one of ours (B12). */
    private static final Map<String, String> LABELS = Map.of("cede.dev/share", "true");

    private static final String AGENT = "dev.cede.agent.Main";

    private final String name;
    private final RunFolder files;
    private final Path root;
    private final SimulatedCards cards;
    private final Kubelet kubelet;
    private final String address;
    private Optional<ChildJvm> agent = Optional.empty();

    private SandboxNode(
            String name, RunFolder files, SimulatedCards cards, Kubelet kubelet, String address) {
        this.name = name;
        this.files = files;
        this.root = files.folder(name);
        this.cards = cards;
        this.kubelet = kubelet;
        this.address = address;
    }

    /**
     * Starts all but the agent.
     *
     * @param address where the agent will listen
     */
    static SandboxNode start(
            String name, RunFolder files, Size size, KubernetesClient client, String address) {
        Path root = files.folder(name);
        SimulatedCards cards = SimulatedCards.in(root.resolve("cards"));
        for (int i = 0; i < size.cards(); i++) {
            cards.add(size.cardMib(), size.reservedMib());
        }
        try {
            Kubelet kubelet = Kubelet.builder(name, new HttpNodeApi(client))
                    .under(root)
                    .environment(cards.environment())
                    .seed(System.nanoTime())
                    .settings(now -> now.withLabels(LABELS).withTiming(Timing.brisk()))
                    .start();
            return new SandboxNode(name, files, cards, kubelet, address);
        } catch (IOException e) {
            throw new SandboxException("The kubelet of " + name + " does not start: " + e, e);
        }
    }

    void startAgent(String coordinator, Consumer<String> onEnd) {
        Map<String, String> config = new TreeMap<>();
        config.put("node_name", name);
        config.put("coordinators", coordinator);
        config.put("state_dir", root.resolve("agent").toString());
        config.put("device_plugin_dir", root.resolve("device-plugins").toString());
        config.put(
                "pod_resources_socket",
                root.resolve("pod-resources/kubelet.sock").toString());
        config.put("proc_root", procRoot().toString());
        config.put("nvml_library", cards.library().toString());
        config.put("listen", address);
        Path file = files.writeConfig("agent-" + name + ".yaml", config);
        Path log = files.file("agent-" + name + ".log");
        agent = Optional.of(ChildJvm.start("The agent of " + name, AGENT, file, log, onEnd));
    }

    String name() {
        return name;
    }

    /** Where its agent's service is. */
    String address() {
        return address;
    }

    Path procRoot() {
        return root.resolve("proc");
    }

    /** Asks the agent's process to end, without waiting. */
    void terminate() {
        agent.ifPresent(ChildJvm::terminate);
    }

    @Override
    public void close() {
        agent.ifPresent(ChildJvm::close);
        kubelet.close();
    }
}
