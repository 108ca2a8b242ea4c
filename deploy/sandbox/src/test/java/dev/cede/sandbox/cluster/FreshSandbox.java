package dev.cede.sandbox.cluster;

import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.sandbox.machine.Machines;
import dev.cede.sandbox.play.Sighting;
import dev.cede.testbed.cluster.ClusterNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A sandbox, anew for each test; one for all where the tests are methods of one instance. After a
 * test that failed its logs stay.
 */
public final class FreshSandbox
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private final Supplier<Machines> source;
    private final Consumer<Machines> start;
    private Machines machines;
    private boolean isForAll;
    private boolean failed;

    /**
     * Nothing runs yet.
     *
     * @param start called with what the source made
     */
    public FreshSandbox(Supplier<Machines> source, Consumer<Machines> start) {
        this.source = source;
        this.start = start;
    }

    /** One on nodes of the real cluster. */
    FreshSandbox(List<ClusterNode> nodes, CardSet cards) {
        this(
                () -> ChosenNodes.sandbox(nodes, cards, Path.of(".")),
                machines -> machines.start(true));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        isForAll = true;
        start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (!isForAll) {
            start();
        }
    }

    private void start() {
        machines = source.get();
        start.accept(machines);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        failed |= context.getExecutionException().isPresent();
        if (!isForAll) {
            end();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        failed |= context.getExecutionException().isPresent();
        end();
    }

    private void end() {
        if (failed) {
            System.out.println("logs are in " + machines.folder());
            machines.closeKeepingFiles();
        } else {
            machines.close();
        }
    }

    public Machines machines() {
        return machines;
    }

    public Kubernetes kubernetes() {
        return machines.kubernetes();
    }

    public void create(HasMetadata object) {
        HasMetadata adapted = kubernetes().adapted(object);
        kubernetes().client().resource(adapted).create();
    }

    public void create(HogPod hog) {
        create(hog.pod());
    }

    public void create(Pod pod) {
        pod.getMetadata().setNamespace(kubernetes().namespace());
        create((HasMetadata) pod);
    }

    public PodResource pod(String name) {
        return kubernetes()
                .client()
                .pods()
                .inNamespace(kubernetes().namespace())
                .withName(name);
    }

    /** No process of ours has ended, and no card ever had more given out than it has. */
    public void requireSoundParts() {
        Optional<Sighting> next = machines.next(Duration.ZERO);
        while (next.isPresent()) {
            switch (next.get()) {
                case Sighting.PartEnded ended -> throw new AssertionError(ended.what());
                case Sighting.CardsSeen seen ->
                    seen.node().overfull().ifPresent(text -> {
                        throw new AssertionError(text);
                    });
                default -> {}
            }
            next = machines.next(Duration.ZERO);
        }
    }
}
