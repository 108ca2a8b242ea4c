package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.Allocation.Progress;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.Timers.Timer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What a kubelet decides. It holds the state of one run of kubelet; {@link #on} takes an event and
 * the time and says what is to be done. It has no clock, thread, file or socket, and equal seeds and
 * events give equal effects, so a socket shell and a simulation in virtual time can both drive it.
 * Calls to plugins are effects, and their answers come back as events. Not thread-safe.
 */
public final class KubeletCore {
    /** So that delays and container IDs do not shift the draws of devices. */
    private static final long DELAY_SALT = 0x5DEECE66DL;

    private final KubeletSettings settings;
    private final Timers timers = new Timers();
    private final Pods pods = new Pods();
    private final Devices devices;
    private final Plugins plugins;
    private final Allocator allocator;
    private final Starter starter;
    private final PodLife life;
    private final Admission admission;
    private Optional<Effect.PublishNode> published = Optional.empty();

    /**
     * A kubelet that starts.
     *
     * @param checkpoint what the run before left; its resources have no plugin until one registers
     * @param survivors containers that run already
     */
    public KubeletCore(
            KubeletSettings settings,
            Checkpoint checkpoint,
            List<Survivor> survivors,
            Instant now) {
        this.settings = settings;
        Random delays = random(settings.seed() ^ DELAY_SALT ^ now.toEpochMilli());
        Picker picker = new Picker(settings.picks(), random(settings.seed()));
        this.devices = new Devices(settings, picker, checkpoint);
        this.plugins = new Plugins(settings, devices, now);
        this.allocator = new Allocator(devices, plugins, picker, pods::activeUids);
        this.starter = new Starter(devices, plugins, allocator, picker, delays);
        this.life = new PodLife(settings.timing(), pods, starter, timers, delays);
        this.admission = new Admission(settings, pods, life, allocator, survivors);
    }

    /** Seeds that lie close together would otherwise begin with equal draws. */
    private static Random random(long seed) {
        return new Random(new SplittableRandom(seed).nextLong());
    }

    /** When {@link Event.TimePassed} is to be sent next. */
    public Optional<Instant> nextDue() {
        return timers.nextDue();
    }

    /** Takes one event; what had become due before is done first. */
    public List<Effect> on(Event event, Instant now) {
        Outbox out = new Outbox(now);
        for (Optional<Timer> timer = timers.takeDue(now);
                timer.isPresent();
                timer = timers.takeDue(now)) {
            fire(timer.get(), out);
        }
        handle(event, out);
        return out.effects();
    }

    private void handle(Event event, Outbox out) {
        switch (event) {
            case Event.Started started -> nodeStatus(out);
            case Event.TimePassed passed -> {}
            case Event.RegisterCalled called -> plugins.registerCalled(called, out);
            case Event.PluginDialed dialed -> plugins.dialed(dialed, out);
            case Event.PluginDialFailed failed -> plugins.dialFailed(failed, out);
            case Event.DevicesListed listed -> listed(listed, out);
            case Event.StreamEnded ended -> plugins.streamEnded(ended, out);
            case Event.PreferenceAnswered answered ->
                allocator
                        .answered(answered.call())
                        .ifPresent(allocation -> resume(
                                allocation,
                                allocator.preferred(allocation, answered.answer(), out),
                                out));
            case Event.AllocateAnswered answered ->
                allocator
                        .answered(answered.call())
                        .ifPresent(allocation -> resume(
                                allocation,
                                allocator.allocated(allocation, answered.answer(), out),
                                out));
            case Event.PreStartAnswered answered -> preStarted(answered, out);
            case Event.PodsAdded added -> admission.offer(added, out);
            case Event.PodChanged changed -> admission.offer(changed, out);
            case Event.PodGone gone -> admission.offer(gone, out);
            case Event.SourcesReady ready -> admission.offer(ready, out);
            case Event.ContainerStarted started ->
                withRun(
                        started.podUid(),
                        started.container(),
                        started.containerId(),
                        (pod, container) -> life.started(pod, container, out));
            case Event.ContainerStartFailed failed ->
                withRun(
                        failed.podUid(),
                        failed.container(),
                        failed.containerId(),
                        (pod, container) -> life.startFailed(pod, container, failed.why(), out));
            case Event.ContainerExited exited -> {
                withRun(
                        exited.podUid(),
                        exited.container(),
                        exited.containerId(),
                        (pod, container) -> life.exited(pod, container, exited.exitCode(), out));
                admission.exited(exited, out.now());
            }
        }
    }

    private void fire(Timer timer, Outbox out) {
        switch (timer) {
            case Timer.NodeStatus due -> nodeStatus(out);
            case Timer.SyncPod due ->
                pods.known(due.podUid()).ifPresent(pod -> life.sync(pod, out));
            case Timer.RetryContainer due ->
                with(
                        due.podUid(),
                        due.container(),
                        (pod, container) -> life.retry(pod, container, out));
            case Timer.KillContainer due ->
                with(
                        due.podUid(),
                        due.container(),
                        (pod, container) -> life.kill(pod, container, due.containerId(), out));
            case Timer.GraceEnded due ->
                pods.any(due.podUid()).ifPresent(pod -> life.signalSidecars(pod, out));
            case Timer.WriteFinal due ->
                pods.known(due.podUid()).ifPresent(pod -> life.writeFinal(pod, out));
            case Timer.RemoveObject due ->
                pods.known(due.podUid())
                        .ifPresent(pod -> out.add(new Effect.RemovePod(pod.spec.id())));
        }
    }

    private interface OnContainer {
        void act(PodEntry pod, ContainerEntry container);
    }

    private void with(String podUid, String container, OnContainer action) {
        pods.any(podUid)
                .ifPresent(
                        pod -> pod.container(container).ifPresent(entry -> action.act(pod, entry)));
    }

    private void withRun(String podUid, String container, String containerId, OnContainer action) {
        with(podUid, container, (pod, entry) -> {
            if (entry.containerId.equals(containerId)) {
                action.act(pod, entry);
            }
        });
    }

    private void listed(Event.DevicesListed event, Outbox out) {
        if (plugins.listed(event)) {
            out.add(new Effect.WriteCheckpoint(devices.checkpoint()));
        }
    }

    private void resume(Allocation allocation, Progress progress, Outbox out) {
        if (!allocation.atStart) {
            if (!(progress instanceof Progress.Waiting)) {
                admission.resume(progress, out);
            }
            return;
        }
        with(
                allocation.pod.uid(),
                allocation.container.name(),
                (pod, container) -> starter.allocated(pod, container, progress, out)
                        .ifPresent(why -> life.startFailed(pod, container, why, out)));
    }

    private void preStarted(Event.PreStartAnswered event, Outbox out) {
        starter.answered(event.call())
                .ifPresent(who -> with(who.getKey(), who.getValue(), (pod, container) -> {
                    if (pod.stage != PodEntry.Stage.ADMITTED) {
                        life.startFailed(pod, container, "pod is being terminated", out);
                        return;
                    }
                    starter.preStarted(pod, container, event.error(), out)
                            .ifPresent(why -> life.startFailed(pod, container, why, out));
                }));
    }

    private void nodeStatus(Outbox out) {
        SortedMap<String, Long> capacity = new TreeMap<>();
        published.ifPresent(before ->
                before.capacity().keySet().forEach(resource -> capacity.put(resource, 0L)));
        capacity.putAll(plugins.capacity(out.now()));
        SortedMap<String, Long> allocatable = new TreeMap<>();
        capacity.keySet()
                .forEach(resource -> allocatable.put(
                        resource, (long) devices.healthyIds(resource).size()));
        Effect.PublishNode node = new Effect.PublishNode(capacity, allocatable);
        if (!published.equals(Optional.of(node))) {
            published = Optional.of(node);
            out.add(node);
        }
        timers.set(out.now().plus(settings.timing().nodeStatus()), new Timer.NodeStatus());
    }

    /** PodResources List. It frees dead pods' devices, as in kubelet. */
    public List<PodDevices> listPodResources() {
        pods.activeUids().ifPresent(devices::free);
        List<PodEntry> shown =
                settings.quirks().listsOnlyActive() ? pods.active() : List.copyOf(pods.all());
        return shown.stream().map(this::devicesOf).toList();
    }

    /** PodResources Get; changes nothing. Any phase. */
    public Optional<PodDevices> getPodResources(String namespace, String name) {
        return pods.all().stream()
                .filter(pod -> pod.spec.id().namespace().equals(namespace))
                .filter(pod -> pod.spec.id().name().equals(name))
                .map(this::devicesOf)
                .findFirst();
    }

    /** Sidecars before application containers; ordinary init containers are not shown. */
    private PodDevices devicesOf(PodEntry pod) {
        Map<String, SortedMap<String, Grant>> shown = new LinkedHashMap<>();
        for (Kind kind : List.of(Kind.SIDECAR, Kind.APP)) {
            for (ContainerEntry container : pod.containers()) {
                if (container.spec.kind() == kind) {
                    shown.put(
                            container.spec.name(),
                            devices.grantsOf(pod.spec.uid())
                                    .getOrDefault(container.spec.name(), new TreeMap<>()));
                }
            }
        }
        return new PodDevices(pod.spec.id().namespace(), pod.spec.id().name(), shown);
    }

    /** PodResources GetAllocatableResources: all healthy devices, those in use too. */
    public SortedMap<String, NavigableSet<String>> allocatable() {
        SortedMap<String, NavigableSet<String>> healthy = new TreeMap<>();
        devices.registered()
                .forEach(resource -> healthy.put(resource, devices.healthyIds(resource)));
        return healthy;
    }

    /** What kubelet believes each pod of these books has, dead pods not yet dropped included. */
    public Map<String, Map<String, SortedMap<String, Grant>>> grants() {
        Map<String, Map<String, SortedMap<String, Grant>>> all = new LinkedHashMap<>();
        List<Checkpoint.Entry> entries = new ArrayList<>(devices.checkpoint().entries());
        entries.forEach(entry -> all.putIfAbsent(entry.podUid(), devices.grantsOf(entry.podUid())));
        return all;
    }

    public NavigableSet<String> inUse(String resource) {
        return devices.inUse(resource);
    }
}
