package dev.cede.sandbox.machine;

import dev.cede.sandbox.play.Cluster;
import dev.cede.sandbox.play.PodSight;
import dev.cede.sandbox.play.Sighting;
import dev.cede.sandbox.scenario.Action;
import dev.cede.testbed.apiserver.ApiServer;
import dev.cede.testbed.apiserver.ApiServerOptions;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** All parts of one sandbox, as a cluster on which a scenario can be played. */
public final class Machines implements Cluster, AutoCloseable {
    private static final String COORDINATOR = "dev.cede.coordinator.Main";
    private static final String CONFIG = "coordinator.yaml";
    private static final String KUBECONFIG = "kubeconfig";

    private final long started = System.nanoTime();
    private final Size size;
    private final Path manifests;
    private final RunFolder files = RunFolder.create();
    private final BlockingQueue<Sighting> sightings = new LinkedBlockingQueue<>();
    private final Map<String, String> coordinatorConfig = new TreeMap<>();
    private final List<SandboxNode> nodes = new ArrayList<>();
    private final Ports ports = new Ports();

    /** What is up, last first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private KubernetesClient client;
    private String coordinatorAddress = "";
    private boolean closed;

    private Machines(Size size, Path manifests) {
        this.size = size;
        this.manifests = manifests;
    }

    /** Nothing runs yet; {@link #start} does the work, {@link #close} undoes it at any time. */
    public static Machines of(Size size, Path manifests) {
        return new Machines(size, manifests);
    }

    /** Starts everything, and waits until all agents have attached (C5). */
    public void start(boolean switchOn) {
        String zookeeper = startZooKeeper();
        startApiServer();
        for (int i = 0; i < size.nodes(); i++) {
            startNode("n" + i);
        }
        startCoordinator(zookeeper, switchOn);
        for (SandboxNode node : nodes) {
            node.startAgent(coordinatorAddress, this::partEnded);
        }
        openEyes();
        new Readiness(coordinatorAddress, size.nodes()).await(this::failure);
    }

    private synchronized <T extends AutoCloseable> T up(T part) {
        if (closed) {
            quietly(part);
            throw new SandboxException("The sandbox was closed while it started.");
        }
        parts.push(part);
        return part;
    }

    private String startZooKeeper() {
        return up(ZooKeeper.start(files.folder("zookeeper"))).connectString();
    }

    private void startApiServer() {
        try {
            ApiServer server = up(ApiServer.start(ApiServerOptions.defaults()));
            server.writeKubeconfig(kubeconfig());
        } catch (IOException e) {
            throw new SandboxException("The API server does not start: " + e.getMessage(), e);
        }
        Config config = Config.fromKubeconfig(kubeconfig().toFile());
        config.setOnlyHttpWatches(true);
        client = up(new KubernetesClientBuilder().withConfig(config).build());
    }

    private void startNode(String name) {
        String address = "127.0.0.1:" + ports.next();
        nodes.add(up(SandboxNode.start(name, files, size, client, address)));
    }

    private void startCoordinator(String zookeeper, boolean switchOn) {
        coordinatorAddress = "127.0.0.1:" + ports.next();
        coordinatorConfig.put("listen", coordinatorAddress);
        coordinatorConfig.put("kubeconfig", kubeconfig().toString());
        coordinatorConfig.put("zookeeper", zookeeper);
        coordinatorConfig.put("enable_topology_aware_preemption", Boolean.toString(switchOn));
        Path config = files.writeConfig(CONFIG, coordinatorConfig);
        up(ChildJvm.start(
                "The coordinator",
                COORDINATOR,
                config,
                files.file("coordinator.log"),
                this::partEnded));
    }

    private void partEnded(String sentence) {
        sightings.add(new Sighting.PartEnded(now(), sentence));
    }

    /** A part that ended while the others were started. */
    private Optional<String> failure() {
        return sightings.stream()
                .filter(Sighting.PartEnded.class::isInstance)
                .map(sighting -> ((Sighting.PartEnded) sighting).what())
                .findFirst();
    }

    private void openEyes() {
        LiveProcesses alive =
                new LiveProcesses(nodes.stream().map(SandboxNode::procRoot).toList());
        Witness witness = new Witness(this::now, sightings::add, alive);
        up(ApiEye.open(client, witness));
        for (SandboxNode node : nodes) {
            up(CardEye.open(node.address(), witness::cards));
        }
    }

    @Override
    public void act(Action action, Map<String, PodSight> podNames) {
        Actions actions = new Actions(client, cards());
        switch (action) {
            case Action.Apply apply ->
                actions.apply(manifests.resolve(apply.file()), apply.oneACard());
            case Action.Delete delete -> actions.delete(delete, podNames);
            case Action.Configure configure -> {
                coordinatorConfig.putAll(configure.keys());
                files.writeConfig(CONFIG, coordinatorConfig);
            }
        }
    }

    @Override
    public Optional<Sighting> next(Duration patience) {
        try {
            return Optional.ofNullable(sightings.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public Duration now() {
        return Duration.ofNanos(System.nanoTime() - started);
    }

    @Override
    public int cards() {
        return size.allCards();
    }

    /** Where configuration, logs and sockets are. */
    public Path folder() {
        return files.root();
    }

    public Path kubeconfig() {
        return files.file(KUBECONFIG);
    }

    public String coordinatorAddress() {
        return coordinatorAddress;
    }

    /** Where each agent's service is, by node. */
    public Map<String, String> agentAddresses() {
        Map<String, String> addresses = new TreeMap<>();
        nodes.forEach(node -> addresses.put(node.name(), node.address()));
        return addresses;
    }

    /** Ends all processes and removes all files. */
    @Override
    public void close() {
        closeKeepingFiles();
        files.delete();
    }

    /** The same, but logs and configuration stay to be read. */
    public void closeKeepingFiles() {
        Deque<AutoCloseable> toClose;
        synchronized (this) {
            closed = true;
            toClose = new ArrayDeque<>(parts);
            parts.clear();
        }
        nodes.forEach(SandboxNode::terminate);
        toClose.forEach(Machines::quietly);
    }

    private static void quietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            // The others are to be closed all the same.
            System.getLogger(Machines.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot close " + part, e);
        }
    }
}
