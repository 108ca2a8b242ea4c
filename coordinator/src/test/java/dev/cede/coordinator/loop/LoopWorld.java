package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.PlannerSettings;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A cluster in virtual time around a real {@link CoordinatorCore}: API server, ZooKeeper and agents as
 * far as the core can tell. Everything answers at once, but processes end, memory goes and time
 * passes only when a test says so.
 */
final class LoopWorld {
    static final LoopSettings SETTINGS = new LoopSettings(
            new OurNames(new TreeSet<>(List.of("volcano")), false),
            PlannerSettings.DEFAULTS,
            WorkloadPolicy.ALL,
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10));

    private LoopSettings settings;
    private CoordinatorCore core;
    private long epoch;
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Optional<Instant> wake = Optional.empty();

    final Map<String, PodFacts> pods = new LinkedHashMap<>();
    final Map<String, NodeFacts> nodes = new TreeMap<>();
    final Map<String, OwnerFacts> owners = new TreeMap<>();
    final Map<String, AgentModel> agents = new TreeMap<>();
    final Map<String, SavedPlan> saved = new TreeMap<>();

    /** Every effect ever asked for, log lines left out. */
    final List<Effect> effects = new ArrayList<>();

    /** The latest reason told for a pod, by name. */
    final Map<String, String> reasons = new TreeMap<>();

    /** Kinds of effects that get no answer until they are taken off here. */
    final List<Class<? extends Effect>> unanswered = new ArrayList<>();

    /** Answers that Bindings get in place of success, first come first served. */
    final Deque<ApiFailure> bindFailures = new ArrayDeque<>();

    /** Nodes whose agents do not attach when a leader starts. */
    final Set<String> away = new TreeSet<>();

    /** Orders that agents get only when a test says so, while they are slow. */
    private final Deque<Effect.Send> onTheWay = new ArrayDeque<>();

    boolean slowAgents;

    /** Whether kubelet starts what is bound. */
    boolean kubeletStarts = true;

    /** Whether agents refuse whatever they are asked to reserve. */
    boolean refuseReserves;

    /** Whether agents refuse to drop what they hold, as while kubelet asks for its devices. */
    boolean refuseDrops;

    LoopWorld(LoopSettings settings) {
        this.settings = settings;
    }

    static LoopWorld topologyAware(boolean on) {
        PlannerSettings planner = PlannerSettings.DEFAULTS;
        return new LoopWorld(with(new PlannerSettings(
                planner.preemption(),
                on,
                planner.coreStep(),
                planner.maxSharesPerCard(),
                planner.cardSpread(),
                planner.nodeSpread(),
                planner.allowMixedNodes(),
                planner.waitForRelease())));
    }

    static LoopSettings with(PlannerSettings planner) {
        return with(SETTINGS.schedulerNames(), planner, SETTINGS.workloadPolicy());
    }

    static LoopSettings with(WorkloadPolicy policy) {
        return with(SETTINGS.schedulerNames(), SETTINGS.planner(), policy);
    }

    static LoopSettings with(OurNames names) {
        return with(names, SETTINGS.planner(), SETTINGS.workloadPolicy());
    }

    private static LoopSettings with(
            OurNames names, PlannerSettings planner, WorkloadPolicy policy) {
        return new LoopSettings(
                names,
                planner,
                policy,
                SETTINGS.workloadSettle(),
                SETTINGS.attachTimeout(),
                SETTINGS.releaseTimeout(),
                SETTINGS.nodeLost(),
                SETTINGS.handOver(),
                SETTINGS.backoff(),
                SETTINGS.backoffMost());
    }

    LoopWorld node(String name, int... cardUnits) {
        nodes.put(name, Facts.node(name));
        agents.put(name, new AgentModel(name, cardUnits));
        return this;
    }

    /** As {@link #leaderStarts()}, with another configuration. */
    LoopWorld leaderStarts(LoopSettings with) {
        settings = with;
        return leaderStarts();
    }

    /** A coordinator of the next term; the one before, if any, is dead. */
    LoopWorld leaderStarts() {
        core = new CoordinatorCore(settings);
        wake = Optional.empty();
        epoch++;
        nodes.values().forEach(node -> feed(new Event.NodeSeen(node)));
        owners.values().forEach(owner -> feed(new Event.OwnerSeen(owner)));
        List.copyOf(pods.values()).forEach(pod -> feed(new Event.PodSeen(pod)));
        feed(new Event.CachesSynced());
        feed(new Event.LeadershipGained(new Epoch(epoch), List.copyOf(saved.values())));
        agents.values().stream().filter(agent -> !away.contains(agent.node)).forEach(this::attach);
        return this;
    }

    void attach(AgentModel agent) {
        agent.newStream();
        feed(new Event.AgentReported(agent.node, agent.stream, agent.report()));
    }

    void detach(String node) {
        feed(new Event.AgentDetached(node, agents.get(node).stream));
    }

    void owner(OwnerRef owner, int replicas) {
        owners.put(owner.uid(), new OwnerFacts(owner, "default", replicas));
        if (core != null) {
            feed(new Event.OwnerSeen(owners.get(owner.uid())));
        }
    }

    /** Creates a pod, or replaces what is known of it. */
    PodFacts put(PodFacts pod) {
        pods.put(pod.ref().name(), pod);
        if (core != null) {
            feed(new Event.PodSeen(pod));
        }
        return pod;
    }

    PodFacts pod(String name) {
        return pods.get(name);
    }

    /** Its containers have ended and kubelet says so; what the driver shows is another matter. */
    void finalPhase(String name) {
        put(Facts.phase(pod(name), PodPhase.SUCCEEDED));
    }

    /** The object is gone. */
    void objectGone(String name) {
        PodFacts gone = pods.remove(name);
        feed(new Event.PodGone(gone.ref()));
    }

    /** The driver shows nothing of the pod any more. */
    void driverEmpty(String name) {
        PodRef ref = allRefs.get(name);
        for (AgentModel agent : agents.values()) {
            if (agent.driverEmpty(ref.uid())) {
                report(agent);
            }
        }
    }

    private final Map<String, PodRef> allRefs = new TreeMap<>();

    void report(AgentModel agent) {
        feed(new Event.AgentReported(agent.node, agent.stream, agent.report()));
    }

    void settings(PlannerSettings planner) {
        feed(new Event.SettingsChanged(planner));
    }

    void advance(Duration time) {
        Instant until = now.plus(time);
        while (wake.filter(at -> !at.isAfter(until)).isPresent()) {
            now = wake.get().isAfter(now) ? wake.get() : now;
            wake = Optional.empty();
            feed(new Event.Tick());
        }
        now = until;
    }

    Snapshot snapshot() {
        return core.snapshot();
    }

    <T extends Effect> List<T> all(Class<T> kind) {
        return effects.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Events are taken one after another, those that effects cause after those already there. */
    void feed(Event event) {
        queue.add(event);
        if (queue.size() > 1) {
            return;
        }
        while (!queue.isEmpty()) {
            take(queue.peek());
            queue.remove();
        }
    }

    private final Deque<Event> queue = new ArrayDeque<>();

    private void take(Event event) {
        if (event instanceof Event.PodSeen seen) {
            allRefs.put(seen.pod().ref().name(), seen.pod().ref());
        }
        for (Effect effect : core.on(event, now)) {
            if (!(effect instanceof Effect.Log)) {
                effects.add(effect);
                carryOut(effect);
            }
        }
    }

    private void carryOut(Effect effect) {
        if (unanswered.contains(effect.getClass())) {
            return;
        }
        switch (effect) {
            case Effect.SavePlan save -> {
                saved.put(save.plan().id(), save.plan());
                feed(new Event.PlanSaved(save.plan().id()));
            }
            case Effect.ReplacePlan replace -> {
                replace.old().forEach(saved::remove);
                saved.put(replace.successor().id(), replace.successor());
                feed(new Event.PlanSaved(replace.successor().id()));
            }
            case Effect.ClosePlan close -> {
                saved.remove(close.plan());
                feed(new Event.PlanClosed(close.plan()));
            }
            case Effect.Send send -> {
                if (slowAgents) {
                    onTheWay.add(send);
                } else {
                    deliver(send);
                }
            }
            case Effect.Bind bind -> bind(bind);
            case Effect.Nominate nominate ->
                present(nominate.pod())
                        .ifPresent(pod -> put(Facts.nominated(pod, nominate.node())));
            case Effect.ReportPending pending -> {
                reasons.put(pending.pod().name(), pending.reason() + ": " + pending.message());
                present(pending.pod()).ifPresent(pod -> put(Facts.told(pod, pending.message())));
            }
            case Effect.Evict evict -> {
                put(Facts.terminating(pod(evict.victim().ref().name()), now));
                feed(new Event.Evicted(evict.victim().ref()));
            }
            case Effect.RollBack back -> {
                put(Facts.terminating(pod(back.member().ref().name()), now));
                feed(new Event.Evicted(back.member().ref()));
            }
            case Effect.Fence fence -> fence(fence);
            case Effect.ReadPod read -> feed(new Event.PodRead(read.pod(), present(read.pod())));
            case Effect.FindPod find ->
                feed(new Event.PodRead(
                        find.pod(),
                        pods.values().stream()
                                .filter(pod -> pod.uid().equals(find.pod().uid()))
                                .filter(pod -> pod.nodeName().equals(Optional.of(find.node())))
                                .findFirst()));
            case Effect.WakeAt at ->
                wake = Optional.of(wake.filter(w -> w.isBefore(at.time())).orElse(at.time()));
            case Effect.StepDown down -> {}
            case Effect.Announce announce -> {}
            case Effect.MoveGroup move -> {}
            case Effect.AnnounceNode announce -> {}
            case Effect.Log log -> {}
        }
    }

    Optional<PodFacts> present(PodRef ref) {
        return Optional.ofNullable(pods.get(ref.name())).filter(pod -> pod.uid().equals(ref.uid()));
    }

    /** In their order, those that come of them last. */
    void ordersArrive() {
        while (!onTheWay.isEmpty()) {
            deliver(onTheWay.remove());
        }
        slowAgents = false;
    }

    private void deliver(Effect.Send send) {
        AgentModel agent = agents.get(send.node());
        if (send.stream() != agent.stream) {
            return;
        }
        boolean refused = refuseReserves && send.order() instanceof Order.Reserve;
        boolean kept = refuseDrops && send.order() instanceof Order.Drop;
        OrderResult result = refused
                ? new OrderResult(send.orderId(), OrderResult.Refusal.NO_ROOM, "no room")
                : kept
                        ? new OrderResult(
                                send.orderId(), OrderResult.Refusal.ALREADY_ALLOCATED, "given")
                        : agent.obey(send);
        report(agent);
        feed(new Event.OrderAnswered(agent.node, agent.stream, result));
    }

    private void fence(Effect.Fence fence) {
        Optional<PodFacts> there = present(fence.pod().ref());
        if (there.map(PodFacts::resourceVersion)
                .filter(fence.pod().resourceVersion()::equals)
                .isEmpty()) {
            ApiFailure old = new ApiFailure(there.isEmpty() ? 404 : 409, "changed");
            feed(new Event.FenceFailed(fence.pod().ref(), old));
            return;
        }
        PodFacts fenced = put(Facts.fenced(there.get(), fence.epoch()));
        feed(new Event.Fenced(fenced));
    }

    private void bind(Effect.Bind bind) {
        if (!bindFailures.isEmpty()) {
            feed(new Event.BindFailed(bind.pod().ref(), bind.node(), bindFailures.pop()));
            return;
        }
        put(Facts.bound(pod(bind.pod().ref().name()), bind.node()));
        feed(new Event.Bound(bind.pod().ref(), bind.node()));
        if (kubeletStarts) {
            start(bind.pod().ref().name());
        }
    }

    /** Kubelet asks for the devices and starts the containers. */
    void start(String name) {
        PodFacts pod = pod(name);
        AgentModel agent = agents.get(pod.nodeName().orElseThrow());
        Reservation reserved = agent.ledger.reservations().get(pod.uid());
        if (reserved != null && reserved.isHold()) {
            throw new AssertionError(name + " was bound to memory that is not measured free");
        }
        if (reserved != null) {
            reserved.shares().forEach(agent::allocate);
        }
        report(agent);
        put(Facts.started(Facts.phase(pod(name), PodPhase.RUNNING), now));
    }
}
