package dev.cede.sandbox.machine;

import dev.cede.sandbox.eyes.Eyes;
import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.sandbox.kubernetes.SandboxException;
import dev.cede.sandbox.play.Cluster;
import dev.cede.sandbox.play.PodSight;
import dev.cede.sandbox.play.Sighting;
import dev.cede.sandbox.scenario.Action;

import io.grpc.ManagedChannel;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** All parts of one sandbox, as a cluster on which a scenario can be played. */
public final class Machines implements Cluster, AutoCloseable {
    /** Where coordinators keep their plans. */
    private static final String PLANS = "/cede/plans";

    private final long started = System.nanoTime();
    private final Function<Path, ? extends Kubernetes> source;
    private final Path manifests;
    private final RunFolder files = RunFolder.create();
    private final BlockingQueue<Sighting> sightings = new LinkedBlockingQueue<>();
    private final SortedMap<String, AgentProcess> agents =
            Collections.synchronizedSortedMap(new TreeMap<>());
    private final Ports ports = new Ports();

    /** What is up, last first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private Kubernetes kubernetes;
    private Credentials credentials;
    private ZooKeeper zookeeper;
    private Coordinators coordinators;
    private boolean closed;

    private Machines(Function<Path, ? extends Kubernetes> source, Path manifests) {
        this.source = source;
        this.manifests = manifests;
    }

    /**
     * Nothing runs yet; {@link #start} does the work, {@link #close} undoes it at any time.
     *
     * @param kubernetes what it is to stand on, given a folder for files of the run
     */
    public static Machines of(Function<Path, ? extends Kubernetes> kubernetes, Path manifests) {
        return new Machines(kubernetes, manifests);
    }

    /** Starts everything with one coordinator, and waits until all agents have attached (C5). */
    public void start(boolean switchOn) {
        start(1, Map.of("enable_topology_aware_preemption", Boolean.toString(switchOn)));
    }

    /**
     * The same with several; the first one leads.
     *
     * @param settings keys of their configuration
     */
    public void start(int count, Map<String, String> settings) {
        credentials = Credentials.create(files);
        zookeeper = up(ZooKeeper.start(files.folder("zookeeper"), ports.next()));
        kubernetes = up(source.apply(files.root()));
        coordinators = up(new Coordinators(files, addresses(count), config(settings)));
        startCoordinator(coordinatorAddress());
        for (GpuNode node : kubernetes.nodes()) {
            agents.put(node.name(), up(AgentProcess.of(node, files, link(node.name()), address())));
            startAgent(node.name());
        }
        up(Eyes.open(kubernetes, agentAddresses().values(), this::now, sightings::add));
        new Readiness(channel(coordinatorAddress()), agents.size()).await(this::failure);
        coordinators.addresses().stream().skip(1).forEach(this::startCoordinator);
    }

    private Map<String, String> link(String node) {
        Map<String, String> link = new TreeMap<>(credentials.agent(kubernetes, node));
        link.put("coordinators", String.join(",", coordinators.addresses()));
        return link;
    }

    private String address() {
        return "127.0.0.1:" + ports.next();
    }

    private List<String> addresses(int count) {
        return Stream.generate(this::address).limit(count).toList();
    }

    private Map<String, String> config(Map<String, String> settings) {
        Map<String, String> config = new TreeMap<>(settings);
        config.putAll(credentials.coordinator(kubernetes));
        config.put("kubeconfig", kubernetes.coordinatorKubeconfig().toString());
        config.put("zookeeper", zookeeper.connectString());
        return config;
    }

    private synchronized <T extends AutoCloseable> T up(T part) {
        if (closed) {
            quietly(part);
            throw new SandboxException("The sandbox was closed while it started.");
        }
        parts.push(part);
        return part;
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

    /** Starts the agent of a node again, as kubelet would. */
    public void startAgent(String node) {
        agents.get(node).start(this::partEnded);
    }

    /** Kills the agent of a node, and returns when it is dead. */
    public void killAgent(String node) {
        agents.get(node).kill();
    }

    /** Stops the agent of a node where it stands: its connections stay, and nobody answers. */
    public void pauseAgent(String node) {
        agents.get(node).pause();
    }

    public void resumeAgent(String node) {
        agents.get(node).resume();
    }

    public void startCoordinator(String address) {
        coordinators.start(address, this::partEnded);
    }

    /** Kills one, and returns when it is dead. */
    public void killCoordinator(String address) {
        coordinators.kill(address);
    }

    /** Until {@link #startZooKeeper} nobody answers at its port. */
    public void stopZooKeeper() {
        zookeeper.close();
    }

    public void startZooKeeper() {
        zookeeper.start();
    }

    /** Names of the plans that are kept now. */
    public List<String> savedPlans() {
        return zookeeper.children(PLANS);
    }

    @Override
    public void act(Action action, Map<String, PodSight> podNames) {
        Actions actions = new Actions(kubernetes, cards());
        switch (action) {
            case Action.Apply apply ->
                actions.apply(manifests.resolve(apply.file()), apply.oneACard());
            case Action.Delete delete -> actions.delete(delete, podNames);
            case Action.Configure configure -> coordinators.configure(configure.keys());
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
        return kubernetes.nodes().stream()
                .mapToInt(node -> node.cards().count())
                .sum();
    }

    /** Where configuration, logs and sockets are. */
    public Path folder() {
        return files.root();
    }

    public Kubernetes kubernetes() {
        return kubernetes;
    }

    /** Of the one that leads first. */
    public String coordinatorAddress() {
        return coordinators.addresses().getFirst();
    }

    /** To one of them, as somebody who only reads; the caller closes it. */
    public ManagedChannel channel(String address) {
        return credentials.open(address);
    }

    /** Who signed the certificate that they show. */
    public Path authority() {
        return credentials.authority();
    }

    public List<String> coordinatorAddresses() {
        return coordinators.addresses();
    }

    /** Where each agent's service is, by node. */
    public Map<String, String> agentAddresses() {
        Map<String, String> addresses = new TreeMap<>();
        agents.forEach((node, agent) -> addresses.put(node, agent.address()));
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
        agents.values().forEach(AgentProcess::terminate);
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
