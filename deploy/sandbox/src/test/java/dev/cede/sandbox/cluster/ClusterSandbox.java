package dev.cede.sandbox.cluster;

import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.sandbox.machine.Machines;
import dev.cede.testbed.cluster.ClusterNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A sandbox on nodes of the real cluster, anew for each test; after one that failed its logs stay. */
final class ClusterSandbox implements BeforeEachCallback, AfterEachCallback {
    private final List<ClusterNode> nodes;
    private final CardSet cards;
    private Machines machines;

    ClusterSandbox(List<ClusterNode> nodes, CardSet cards) {
        this.nodes = List.copyOf(nodes);
        this.cards = cards;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        machines = ChosenNodes.sandbox(nodes, cards, Path.of("."));
        machines.start(true);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            System.out.println("logs are in " + machines.folder());
            machines.closeKeepingFiles();
        } else {
            machines.close();
        }
    }

    List<ClusterNode> nodes() {
        return nodes;
    }

    Machines machines() {
        return machines;
    }

    Kubernetes kubernetes() {
        return machines.kubernetes();
    }

    void create(HasMetadata object) {
        HasMetadata adapted = kubernetes().adapted(object);
        kubernetes().client().resource(adapted).create();
    }

    void create(HogPod hog) {
        create(hog.pod());
    }

    void create(Pod pod) {
        pod.getMetadata().setNamespace(kubernetes().namespace());
        create((HasMetadata) pod);
    }

    PodResource pod(String name) {
        return kubernetes()
                .client()
                .pods()
                .inNamespace(kubernetes().namespace())
                .withName(name);
    }
}
