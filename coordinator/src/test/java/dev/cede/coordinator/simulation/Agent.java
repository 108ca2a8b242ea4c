package dev.cede.coordinator.simulation;

import dev.cede.agent.core.Checkpoint;
import dev.cede.agent.core.NodeCore;
import dev.cede.agent.core.NodeEffect;
import dev.cede.agent.core.NodeEvent;
import dev.cede.agent.core.NodeSettings;
import dev.cede.agent.core.NodeState;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.DeviceLists;
import dev.cede.deviceplugin.KubeletBooks;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.OrderResult;
import dev.cede.model.OrderResult.Refusal;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** An agent from its start to its death: the real core in a thin shell. */
final class Agent {
    private static final long BUSY_TICK = 100;
    private static final long IDLE_TICK = 500;
    private static final long BUSY = 6_000;
    private static final long FIRST_REDIAL = 50;
    private static final long LAST_REDIAL = 2_000;
    private static final long KEEP_ALIVE = 5_000;
    private static final int MAX_SHARES = 20;
    private static final long POLL = 1_000;
    private static final long RELEASE_POLL = 100;

    private final World world;
    private final Site site;
    private final SimulatedProcess process;
    private final Draws draws;
    private final String instance;
    private NodeState state;
    private Optional<Stream> stream = Optional.empty();
    private Optional<DeviceLists> lists = Optional.empty();
    private long busyUntil;
    private int next;
    private int failures;
    private final Set<String> ordersSeen = new TreeSet<>();

    Agent(World world, Site site, int start) {
        this.world = world;
        this.site = site;
        this.process = new SimulatedProcess(world.time);
        this.draws = Draws.of(world.seed, site.name() + "/agent#" + start);
        this.instance = "i" + start;
        NodeSettings settings =
                new NodeSettings(site.name(), instance, MAX_SHARES, false, POLL, RELEASE_POLL);
        this.state = site.disk()
                .map(saved -> NodeState.restored(settings, world.bug.restored(saved)))
                .orElseGet(() -> NodeState.fresh(settings));
    }

    void start() {
        tick();
        dial();
    }

    SimulatedProcess process() {
        return process;
    }

    String instance() {
        return instance;
    }

    Site site() {
        return site;
    }

    Optional<DeviceLists> lists() {
        return lists;
    }

    Optional<Stream> stream() {
        return stream;
    }

    NodeLedger ledger() {
        return state.ledger();
    }

    private void tick() {
        on(new NodeEvent.Tick());
        process.after(world.time.now() < busyUntil ? BUSY_TICK : IDLE_TICK, this::tick);
    }

    void on(NodeEvent event) {
        if (!process.isAlive()) {
            return;
        }
        if (!(event instanceof NodeEvent.Tick || event instanceof NodeEvent.DriverRead)) {
            busyUntil = world.time.now() + BUSY;
            world.time.trace(site.name(), () -> "<- " + event);
        }
        NodeCore.Step step = NodeCore.step(state, event, world.time.now());
        if (!saved(step.effects())) {
            return;
        }
        state = step.state();
        for (NodeEffect effect : step.effects()) {
            if (process.isAlive() && !(effect instanceof NodeEffect.Save)) {
                run(effect);
            }
        }
    }

    /** By chance the agent dies right before, or right after its checkpoint is on disk. */
    private boolean saved(List<NodeEffect> effects) {
        for (NodeEffect effect : effects) {
            if (effect instanceof NodeEffect.Save save) {
                boolean dies = draws.chance(world.faults.rates().diskLost());
                if (!dies || draws.chance(0.5)) {
                    site.save(save.checkpoint());
                }
                if (dies) {
                    world.tally.count("agents killed around a checkpoint");
                    site.agentDies();
                    return false;
                }
            }
        }
        return true;
    }

    private void run(NodeEffect effect) {
        switch (effect) {
            case NodeEffect.Save save -> throw new IllegalStateException("saved already");
            case NodeEffect.Publish publish -> publish(publish.report());
            case NodeEffect.SendResult result -> send(result.result());
            case NodeEffect.SendRefused refused -> {
                world.tally.count("allocations refused");
                up(each -> each.coordinator
                        .links()
                        .said(
                                each,
                                new Event.AllocationRefused(
                                        site.name(), Optional.empty(), refused.reason())));
            }
            case NodeEffect.ReadDriver read ->
                process.after(draws.between(2, 40), () -> readDriver(read));
            case NodeEffect.ReadKubelet read ->
                process.after(
                        draws.between(2, 20),
                        () -> on(new NodeEvent.KubeletRead(
                                new KubeletBooks(site.kubeletEntries(), new TreeMap<>()))));
            case NodeEffect.PublishDevices devices -> {
                lists = Optional.of(devices.lists());
                site.devicesPublished();
            }
            case NodeEffect.AnswerPreferred answer ->
                site.answered(answer.call(), Optional.of(answer.ids()), "");
            case NodeEffect.AnswerAllocated answer ->
                site.answered(answer.call(), Optional.of(List.of()), "");
            case NodeEffect.AnswerStarted answer ->
                site.answered(answer.call(), Optional.of(List.of()), "");
            case NodeEffect.RefuseCall refuse ->
                site.answered(refuse.call(), Optional.empty(), refuse.reason());
            case NodeEffect.Log log -> world.time.trace(site.name(), () -> "-- " + log.line());
            case NodeEffect.MakeLimits make -> {}
            case NodeEffect.WriteLimits write -> {}
            case NodeEffect.ForgetLimits forget -> {}
        }
    }

    private void publish(NodeReport report) {
        world.time.trace(
                site.name(),
                () -> "report " + report.version() + " takes="
                        + report.takesBinds() + " shares=" + report.shares() + " reservations="
                        + report.reservations());
        world.checks.reported(site, report);
        up(each -> each.coordinator.links().report(each, report));
    }

    private void send(OrderResult result) {
        up(each -> each.coordinator
                .links()
                .said(each, new Event.OrderAnswered(site.name(), each.number, result)));
    }

    /** Without a stream it is lost. */
    private void up(Consumer<Stream> arrives) {
        stream.ifPresent(each -> each.up(() -> arrives.accept(each)));
    }

    private void readDriver(NodeEffect.ReadDriver read) {
        var reading = world.bug.reading(site.driver().read(read.ticket(), read.pods()));
        process.after(draws.between(1, 20), () -> on(new NodeEvent.DriverRead(reading)));
    }

    private void dial() {
        List<Coordinator> all = world.coordinators();
        dial(all.get(next++ % all.size()));
    }

    private void dial(Coordinator coordinator) {
        Stream fresh = new Stream(world, this, coordinator, Draws.of(draws.seed(), "stream"));
        stream = Optional.of(fresh);
        if (coordinator.process().isAlive()) {
            fresh.up(() -> coordinator.links().opened(fresh));
            watch(fresh);
        } else {
            process.after(draws.between(1, 20), () -> ended(fresh, ""));
        }
        on(new NodeEvent.Connected());
    }

    /** A coordinator that stands still or is dead is noticed in the end. */
    private void watch(Stream watched) {
        process.after(KEEP_ALIVE, () -> {
            if (stream.filter(each -> each == watched).isPresent()) {
                if (watched.coordinator.process().isPaused()
                        || !watched.coordinator.process().isAlive()) {
                    watched.breaks();
                } else {
                    watch(watched);
                }
            }
        });
    }

    void ended(Stream ended, String leader) {
        if (stream.filter(each -> each == ended).isEmpty()) {
            return;
        }
        stream = Optional.empty();
        on(new NodeEvent.Disconnected());
        long delay = Math.min(LAST_REDIAL, FIRST_REDIAL << Math.min(failures++, 6));
        process.after(
                delay,
                () -> world.coordinators().stream()
                        .filter(each -> each.isAt(leader))
                        .findFirst()
                        .ifPresentOrElse(this::dial, this::dial));
    }

    void received(Stream from, Effect.Send send) {
        if (stream.filter(each -> each == from).isPresent()) {
            failures = 0;
            ordered(send);
        }
    }

    void ordered(Effect.Send send) {
        Epoch highest = site.disk().map(Checkpoint::highestEpoch).orElse(Epoch.NONE);
        NodeLedger before = state.ledger();
        boolean again = !ordersSeen.add(send.orderId());
        String id = world.bug.orderId(send.orderId(), again);
        Epoch epoch = world.bug.epoch(send.epoch(), highest);
        world.bug
                .order(send.order(), again)
                .ifPresentOrElse(
                        order -> on(new NodeEvent.Ordered(epoch, id, order)),
                        () -> send(new OrderResult(id, Refusal.NONE, "")));
        if (send.epoch().isOlderThan(highest)) {
            world.tally.count("orders of an old term refused");
            Violation.unless(
                    before.equals(state.ledger()),
                    "old epoch obeyed",
                    () -> site.name() + " has seen " + highest + " and obeyed " + send);
        }
    }

    /** Kubelet opened or closed its stream of a resource. */
    void listening(DeviceKind kind, boolean open) {
        on(new NodeEvent.Listening(kind, open));
    }
}
