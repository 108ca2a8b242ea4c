package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.Event.PluginOptions;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** A kubelet core in virtual time with plugins that answer at once, unless told to wait. */
final class VirtualNode {
    static final String M = "volcano.sh/gpu-mem.128Mi";
    static final String C = "volcano.sh/gpu-core.percentage";

    final KubeletSettings settings;
    final List<Effect> effects = new ArrayList<>();
    final Map<String, PodStatusView> statuses = new TreeMap<>();
    /** Plugin calls that nobody has answered, while {@link #holdAnswers} is set. */
    final List<Effect> held = new ArrayList<>();

    /** Containers that run: pod UID, slash, name; the launch. */
    final Map<String, ContainerLaunch> running = new LinkedHashMap<>();

    KubeletCore core;
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    boolean holdAnswers;
    boolean clings;
    Function<Effect.AskPreference, Answer<List<String>>> preference = ask -> Answer.of(List.of());
    Function<Effect.AskAllocate, Answer<AllocateResponse>> allocate =
            ask -> Answer.of(AllocateResponse.newBuilder()
                    .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
                    .build());
    Function<Effect.AskPreStart, Optional<String>> preStart = ask -> Optional.empty();

    private final Map<Long, PluginOptions> options = new TreeMap<>();
    private final Map<String, PluginOptions> optionsOf = new TreeMap<>();
    private Checkpoint checkpoint = Checkpoint.EMPTY;
    private final Deque<Event> queue = new ArrayDeque<>();
    private boolean busy;
    private long lastRegister;

    VirtualNode(KubeletSettings settings) {
        this.settings = settings;
        boot(List.of());
    }

    static VirtualNode random(long seed) {
        return new VirtualNode(KubeletSettings.of(seed));
    }

    private void boot(List<Survivor> survivors) {
        core = new KubeletCore(settings, checkpoint, survivors, now);
        send(new Event.Started());
    }

    VirtualNode knowingAllPods() {
        send(new Event.PodsAdded(List.of()));
        send(new Event.SourcesReady());
        return this;
    }

    /** A new run of kubelet from the last checkpoint; containers go on. */
    void restart() {
        boot(running.values().stream()
                .map(launch -> new Survivor(
                        launch.pod().uid(), launch.spec().name(), launch.containerId(), now, 0))
                .toList());
    }

    void reboot() {
        running.clear();
        boot(List.of());
    }

    long register(String resource, PluginOptions plugin, List<String> ids) {
        return register(resource, resource + ".sock", plugin, ids);
    }

    long register(String resource, String endpoint, PluginOptions plugin, List<String> ids) {
        optionsOf.put(resource, plugin);
        send(new Event.RegisterCalled(++lastRegister, "v1beta1", endpoint, resource));
        long client = last(Effect.OpenListAndWatch.class).client();
        list(client, ids);
        return client;
    }

    void list(long client, List<String> ids) {
        send(new Event.DevicesListed(
                client, ids.stream().map(PluginDevice::healthy).toList()));
    }

    static PodSpec pod(String name, ContainerSpec... containers) {
        return PodSpec.of(
                new PodSpec.Id("ns", name, "uid-" + name), Instant.EPOCH, List.of(containers));
    }

    static ContainerSpec container(String name, String resource, long count) {
        return ContainerSpec.app(name, Map.of(resource, count));
    }

    void add(PodSpec... pods) {
        send(new Event.PodsAdded(List.of(pods)));
    }

    /** Events that effects cause wait until all effects of the one before are carried out. */
    void send(Event event) {
        queue.add(event);
        if (busy) {
            return;
        }
        busy = true;
        while (!queue.isEmpty()) {
            core.on(queue.remove(), now).forEach(this::carryOut);
        }
        busy = false;
    }

    /** Lets time pass, with all that becomes due on the way. */
    void advance(Duration time) {
        Instant end = now.plus(time);
        while (core.nextDue().filter(due -> !due.isAfter(end)).isPresent()) {
            Instant due = core.nextDue().get();
            now = due.isAfter(now) ? due : now;
            send(new Event.TimePassed());
        }
        now = end;
    }

    void exit(String podUid, String container, int code) {
        ContainerLaunch ended = running.remove(podUid + "/" + container);
        send(new Event.ContainerExited(podUid, container, ended.containerId(), code));
    }

    private void carryOut(Effect effect) {
        effects.add(effect);
        switch (effect) {
            case Effect.DialPlugin dial -> {
                options.put(dial.client(), optionsOf.get(dial.resource()));
                send(new Event.PluginDialed(dial.client(), options.get(dial.client())));
            }
            case Effect.AskPreference ask -> {
                if (holdAnswers) {
                    held.add(ask);
                } else {
                    send(new Event.PreferenceAnswered(ask.call(), preference.apply(ask)));
                }
            }
            case Effect.AskAllocate ask -> {
                if (holdAnswers) {
                    held.add(ask);
                } else {
                    send(new Event.AllocateAnswered(ask.call(), allocate.apply(ask)));
                }
            }
            case Effect.AskPreStart ask ->
                send(new Event.PreStartAnswered(ask.call(), preStart.apply(ask)));
            case Effect.WriteCheckpoint write -> checkpoint = write.checkpoint();
            case Effect.WriteStatus write ->
                statuses.put(write.status().pod().uid(), write.status());
            case Effect.StartContainer start -> {
                String uid = start.launch().pod().uid();
                String name = start.launch().spec().name();
                running.put(uid + "/" + name, start.launch());
                send(new Event.ContainerStarted(uid, name, start.launch().containerId()));
            }
            case Effect.SignalContainer signal -> {
                if (signal.kill() || !clings) {
                    exit(signal.podUid(), signal.container(), signal.kill() ? 137 : 0);
                }
            }
            default -> {}
        }
    }

    /** Answers the oldest held Allocate. */
    void answerAllocate() {
        Effect.AskAllocate ask = (Effect.AskAllocate) held.removeFirst();
        send(new Event.AllocateAnswered(ask.call(), allocate.apply(ask)));
    }

    Optional<PodStatusView> status(PodSpec pod) {
        return Optional.ofNullable(statuses.get(pod.uid()));
    }

    PodStatusView.Phase phase(PodSpec pod) {
        return status(pod).orElseThrow().phase();
    }

    List<String> ids(PodSpec pod, String container, String resource) {
        return core.grants().get(pod.uid()).get(container).get(resource).ids();
    }

    boolean hasNoDevices(PodSpec pod) {
        return !core.grants().containsKey(pod.uid());
    }

    <T extends Effect> List<T> all(Class<T> type) {
        return effects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends Effect> T last(Class<T> type) {
        return all(type).getLast();
    }
}
