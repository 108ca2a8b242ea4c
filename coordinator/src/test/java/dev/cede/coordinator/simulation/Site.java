package dev.cede.coordinator.simulation;

import dev.cede.agent.core.Checkpoint;
import dev.cede.agent.core.NodeEvent;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.deviceplugin.Offer;
import dev.cede.model.CardId;
import dev.cede.testbed.kubelet.core.ContainerLaunch;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.core.PickMode;
import dev.cede.testbed.kubelet.core.Timing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** A node: what outlives kubelet and agent, and the calls between the two. */
final class Site {
    /** Where an answer to kubelet goes; without a value the text says why. */
    interface OnAnswer {
        void take(Optional<List<List<String>>> value, String error);
    }

    private record Pending(Agent agent, Kubelet kubelet, OnAnswer then) {}

    private final World world;
    private final String name;
    private final Draws draws;
    private final Driver driver;
    private final Map<Long, Pending> pending = new TreeMap<>();
    private Optional<Checkpoint> disk = Optional.empty();
    private dev.cede.testbed.kubelet.core.Checkpoint kubeletCheckpoint =
            dev.cede.testbed.kubelet.core.Checkpoint.EMPTY;
    private Optional<Agent> agent = Optional.empty();
    private Optional<Kubelet> kubelet = Optional.empty();
    private Optional<Agent> registered = Optional.empty();
    private int agentStarts;
    private int kubeletStarts;
    private long kubeletStartedAt;
    private long calls;
    private long upsetAt;

    Site(World world, String name, List<Integer> cardUnits) {
        this.world = world;
        this.name = name;
        this.draws = Draws.of(world.seed, name);
        this.driver = new Driver(
                world,
                Draws.of(world.seed, name + "/driver"),
                cardUnits,
                (process, code) -> kubelet.ifPresent(each -> each.on(new Event.ContainerExited(
                        process.podUid(), process.container(), process.containerId(), code))));
    }

    String name() {
        return name;
    }

    Driver driver() {
        return driver;
    }

    Optional<Checkpoint> disk() {
        return disk;
    }

    void save(Checkpoint checkpoint) {
        disk = Optional.of(checkpoint);
    }

    Optional<Agent> agent() {
        return agent;
    }

    /** When kubelet or agent last stopped or started. */
    long upsetAt() {
        return upsetAt;
    }

    KubeletSettings kubeletSettings(long seed) {
        return KubeletSettings.of(seed)
                .withTiming(Timing.brisk())
                .withPicks(PickMode.WORST)
                .withLabels(Map.of("cede.dev/share", "true"));
    }

    dev.cede.testbed.kubelet.core.Checkpoint kubeletCheckpoint() {
        return kubeletCheckpoint;
    }

    void write(dev.cede.testbed.kubelet.core.Checkpoint checkpoint) {
        kubeletCheckpoint = checkpoint;
        world.checks.kubeletGives(this);
    }

    List<KubeletEntry> kubeletEntries() {
        List<KubeletEntry> entries = new ArrayList<>();
        for (var entry : kubeletCheckpoint.entries()) {
            for (DeviceKind kind : DeviceKind.values()) {
                if (kind.resource().equals(entry.resource())) {
                    entries.add(new KubeletEntry(
                            entry.podUid(),
                            entry.container(),
                            kind,
                            entry.grant().ids()));
                }
            }
        }
        return entries;
    }

    void startAgent() {
        upsetAt = world.time.now();
        Agent fresh = new Agent(world, this, ++agentStarts);
        agent = Optional.of(fresh);
        fresh.start();
    }

    /** It dies at once and is started again after a while. */
    void agentDies() {
        agent.ifPresent(dead -> {
            upsetAt = world.time.now();
            agent = Optional.empty();
            dead.process().kill();
            dead.stream().ifPresent(Stream::breaks);
            failCallsOf(dead);
            kubelet.ifPresent(each -> each.agentDied(dead));
            world.time.after(draws.skewed(300, 8_000), this::startAgent);
        });
    }

    private void failCallsOf(Agent dead) {
        for (long call : List.copyOf(pending.keySet())) {
            if (pending.get(call).agent() == dead) {
                answered(call, Optional.empty(), Kubelet.closing());
            }
        }
    }

    void startKubelet() {
        upsetAt = world.time.now();
        kubeletStartedAt = world.time.now();
        Kubelet fresh = new Kubelet(world, this, ++kubeletStarts);
        kubelet = Optional.of(fresh);
        registered = Optional.empty();
        fresh.start();
        devicesPublished();
    }

    /** Containers run on; it is started again after a while. */
    void kubeletStops() {
        kubelet.ifPresent(stopped -> {
            upsetAt = world.time.now();
            kubelet = Optional.empty();
            stopped.stop();
            world.time.after(draws.skewed(200, 6_000), this::startKubelet);
        });
    }

    /** The agent registers with a kubelet it has not seen yet, once it has devices to show. */
    void devicesPublished() {
        if (agent.isEmpty() || kubelet.isEmpty() || agent.get().lists().isEmpty()) {
            return;
        }
        Agent one = agent.get();
        Kubelet other = kubelet.get();
        if (registered.equals(agent)) {
            other.devices(one, one.lists().get());
            return;
        }
        registered = agent;
        one.process().after(draws.between(5, 250), () -> {
            if (kubelet.equals(Optional.of(other))) {
                one.on(new NodeEvent.KubeletStarted(world.time.now() - kubeletStartedAt));
                other.register(one);
            }
        });
    }

    void prefer(Optional<Agent> to, DeviceKind kind, Effect.AskPreference ask, OnAnswer then) {
        Offer offer =
                new Offer(List.copyOf(ask.available()), List.copyOf(ask.mustInclude()), ask.size());
        ask(to, call -> new NodeEvent.Prefer(call, kind, List.of(offer)), then);
    }

    void allocate(Optional<Agent> to, DeviceKind kind, List<String> ids, OnAnswer then) {
        ask(to, call -> new NodeEvent.Allocate(call, kind, List.of(ids)), then);
    }

    void preStart(Optional<Agent> to, DeviceKind kind, List<String> ids, OnAnswer then) {
        ask(to, call -> new NodeEvent.PreStart(call, kind, ids), then);
    }

    private void ask(Optional<Agent> to, LongFunction<NodeEvent> event, OnAnswer then) {
        Kubelet asking = kubelet.orElseThrow();
        Optional<Agent> alive = to.filter(each -> each.process().isAlive());
        if (alive.isEmpty()) {
            asking.process().after(1, () -> then.take(Optional.empty(), Kubelet.closing()));
            return;
        }
        long call = ++calls;
        pending.put(call, new Pending(alive.get(), asking, then));
        alive.get().process().after(draws.between(1, 10), () -> alive.get().on(event.apply(call)));
    }

    void answered(long call, Optional<List<List<String>>> value, String error) {
        Pending asked = pending.remove(call);
        if (asked != null) {
            asked.kubelet()
                    .process()
                    .after(draws.between(1, 10), () -> asked.then().take(value, error));
        }
    }

    void start(ContainerLaunch launch) {
        Kubelet starting = kubelet.orElseThrow();
        String uid = launch.pod().uid();
        String container = launch.spec().name();
        driver.start(launch, plan(launch));
        starting.process()
                .after(
                        draws.between(5, 60),
                        () -> starting.on(
                                new Event.ContainerStarted(uid, container, launch.containerId())));
    }

    private Driver.Plan plan(ContainerLaunch launch) {
        List<String> ids = kubeletEntries().stream()
                .filter(entry -> entry.podUid().equals(launch.pod().uid()))
                .filter(entry -> entry.container().equals(launch.spec().name()))
                .filter(entry -> entry.kind() == DeviceKind.MEMORY)
                .flatMap(entry -> entry.ids().stream())
                .toList();
        Violation.unless(
                !ids.isEmpty(),
                "started without devices",
                () -> launch.pod() + " " + launch.spec().name());
        SortedMap<CardId, Integer> units = new TreeMap<>();
        ids.forEach(id -> units.merge(driver.cardOf(id), 1, Integer::sum));
        return new Driver.Plan(
                units,
                Workload.manner(world.everSeen(launch.pod().uid())),
                Workload.endsAfter(world.everSeen(launch.pod().uid())));
    }
}
