package dev.cede.coordinator.simulation;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.DeviceLists;
import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.kubelet.api.PodReader;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.KubeletCore;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.core.PluginDevice;

import io.fabric8.kubernetes.api.model.Pod;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A kubelet from its start to its stop: the test bed's core, its pods and its plugins. */
final class Kubelet {
    private static final AllocateResponse GRANTED = AllocateResponse.newBuilder()
            .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
            .build();
    private static final String CLOSING =
            "rpc error: code = Unavailable desc = error reading from server: EOF";

    /** A connection to a plugin. */
    private record Client(DeviceKind kind, Agent agent) {}

    private final World world;
    private final Site site;
    private final SimulatedProcess process;
    private final Draws draws;
    private final KubeletCore core;
    private final NodeWriter writer;
    private final Map<Long, Client> clients = new HashMap<>();
    private final Map<DeviceKind, Long> open = new EnumMap<>(DeviceKind.class);
    private int seen;
    private long last;
    private boolean synced;
    private long alarm = Long.MAX_VALUE;
    private long registrations;

    Kubelet(World world, Site site, int start) {
        this.world = world;
        this.site = site;
        this.process = new SimulatedProcess(world.time);
        this.draws = Draws.of(world.seed, site.name() + "/kubelet#" + start);
        KubeletSettings settings = site.kubeletSettings(draws.seed());
        this.core = new KubeletCore(
                settings,
                site.kubeletCheckpoint(),
                site.driver().survivors(),
                world.time.instant());
        this.writer = new NodeWriter(
                world, process, Draws.of(draws.seed(), "writer"), site.name(), settings);
        world.api.pods.listen(this::news);
    }

    void start() {
        on(new Event.Started());
        process.after(draws.between(20, 400), this::list);
    }

    SimulatedProcess process() {
        return process;
    }

    private void list() {
        seen = world.api.pods.changes.size();
        last = world.time.now();
        List<Pod> mine =
                world.api.pods.now.values().stream().filter(this::isMine).toList();
        on(new Event.PodsAdded(mine.stream().map(PodReader::read).toList()));
        on(new Event.SourcesReady());
        synced = true;
        news();
    }

    private boolean isMine(Pod pod) {
        return site.name().equals(pod.getSpec().getNodeName());
    }

    private void news() {
        if (!synced || !process.isAlive()) {
            return;
        }
        while (seen < world.api.pods.changes.size()) {
            Api.Change<Pod> change = world.api.pods.changes.get(seen++);
            if (isMine(change.object())) {
                last = Math.max(last, world.time.now() + world.faults.delay(draws, 30, 1_500));
                process.after(last - world.time.now(), () -> tell(change));
            }
        }
    }

    private void tell(Api.Change<Pod> change) {
        on(
                change.deleted()
                        ? new Event.PodGone(PodReader.id(change.object()))
                        : new Event.PodChanged(PodReader.read(change.object())));
    }

    void on(Event event) {
        process.now(() -> {
            Instant now = world.time.instant();
            world.time.trace(site.name(), () -> "kubelet <- " + event);
            core.on(event, now).forEach(this::run);
            setAlarm();
        });
    }

    private void setAlarm() {
        core.nextDue().map(Timeline::millis).filter(due -> due < alarm).ifPresent(due -> {
            alarm = due;
            process.after(Math.max(0, due - world.time.now()), () -> {
                if (alarm == due) {
                    alarm = Long.MAX_VALUE;
                    on(new Event.TimePassed());
                }
            });
        });
    }

    private void run(Effect effect) {
        switch (effect) {
            case Effect.AnswerRegister answer -> {}
            case Effect.DialPlugin dial -> dial(dial);
            case Effect.OpenListAndWatch list -> openList(list.client());
            case Effect.CloseClient close -> closed(close.client());
            case Effect.AskPreference ask -> prefer(ask);
            case Effect.AskAllocate ask -> allocate(ask);
            case Effect.AskPreStart ask -> preStart(ask);
            case Effect.WriteCheckpoint write -> site.write(write.checkpoint());
            case Effect.WriteStatus write -> {
                world.checks.kubeletSays(site, write.status());
                writer.status(write.status());
            }
            case Effect.RemovePod remove -> writer.remove(remove.pod());
            case Effect.StartContainer start -> site.start(start.launch());
            case Effect.SignalContainer signal ->
                site.driver().signal(signal.podUid(), signal.container(), signal.kill());
            case Effect.PublishNode publish -> writer.node(publish);
            case Effect.CleanPod clean -> {}
            case Effect.EmitEvent emit -> {}
            case Effect.MergeConflict conflict ->
                throw new Violation("answers clash", conflict.toString());
        }
    }

    /** The agent calls Register for both resources. */
    void register(Agent agent) {
        for (DeviceKind kind : DeviceKind.values()) {
            String endpoint = kind + "-" + agent.instance() + ".sock";
            on(new Event.RegisterCalled(++registrations, "v1beta1", endpoint, kind.resource()));
        }
    }

    private static Optional<DeviceKind> kind(String resource) {
        for (DeviceKind kind : DeviceKind.values()) {
            if (kind.resource().equals(resource)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    private void dial(Effect.DialPlugin dial) {
        Optional<Agent> agent = site.agent();
        Optional<DeviceKind> kind = kind(dial.resource());
        process.after(draws.between(1, 20), () -> {
            if (agent.isPresent() && agent.get().process().isAlive() && kind.isPresent()) {
                clients.put(dial.client(), new Client(kind.get(), agent.get()));
                boolean preStart = kind.get() == DeviceKind.MEMORY;
                on(new Event.PluginDialed(dial.client(), new Event.PluginOptions(preStart, true)));
            } else {
                on(new Event.PluginDialFailed(dial.client(), "failed to dial device plugin"));
            }
        });
    }

    private void openList(long client) {
        Client to = clients.get(client);
        if (to == null) {
            on(new Event.StreamEnded(client));
            return;
        }
        open.put(to.kind(), client);
        to.agent().process().now(() -> to.agent().listening(to.kind(), true));
        to.agent().lists().ifPresent(lists -> send(client, to, lists));
    }

    /** A list that the plugin sends on all open streams. */
    void devices(Agent agent, DeviceLists lists) {
        List.copyOf(open.values()).forEach(client -> {
            Client to = clients.get(client);
            if (to != null && to.agent() == agent) {
                send(client, to, lists);
            }
        });
    }

    private void send(long client, Client to, DeviceLists lists) {
        List<PluginDevice> devices = lists.byKind().get(to.kind()).stream()
                .map(device -> new PluginDevice(device.id(), device.healthy(), List.of()))
                .toList();
        process.after(draws.between(1, 20), () -> on(new Event.DevicesListed(client, devices)));
    }

    private void closed(long client) {
        Client to = clients.remove(client);
        if (to != null && open.remove(to.kind(), client)) {
            to.agent().process().now(() -> to.agent().listening(to.kind(), false));
        }
    }

    private void prefer(Effect.AskPreference ask) {
        Client to = clients.get(ask.client());
        site.prefer(
                agent(to),
                to == null ? DeviceKind.MEMORY : to.kind(),
                ask,
                (ids, error) -> on(new Event.PreferenceAnswered(
                        ask.call(),
                        ids.map(found -> Answer.of(found.getFirst()))
                                .orElseGet(() -> Answer.failed(error)))));
    }

    private void allocate(Effect.AskAllocate ask) {
        Client to = clients.get(ask.client());
        site.allocate(
                agent(to),
                to == null ? DeviceKind.MEMORY : to.kind(),
                ask.ids(),
                (done, error) -> on(new Event.AllocateAnswered(
                        ask.call(), done.isPresent() ? Answer.of(GRANTED) : Answer.failed(error))));
    }

    private void preStart(Effect.AskPreStart ask) {
        Client to = clients.get(ask.client());
        site.preStart(
                agent(to),
                to == null ? DeviceKind.MEMORY : to.kind(),
                ask.ids(),
                (done, error) -> on(new Event.PreStartAnswered(
                        ask.call(), done.isPresent() ? Optional.empty() : Optional.of(error))));
    }

    private static Optional<Agent> agent(Client to) {
        return Optional.ofNullable(to).map(Client::agent);
    }

    /** Its sockets are closed. */
    void agentDied(Agent agent) {
        List<Long> theirs = new ArrayList<>();
        clients.forEach((client, to) -> {
            if (to.agent() == agent) {
                theirs.add(client);
            }
        });
        theirs.sort(null);
        for (long client : theirs) {
            process.after(draws.between(1, 50), () -> {
                Client to = clients.get(client);
                if (to != null) {
                    open.remove(to.kind(), client);
                }
                on(new Event.StreamEnded(client));
            });
        }
    }

    static String closing() {
        return CLOSING;
    }

    void stop() {
        process.kill();
        open.forEach((kind, client) -> {
            Agent to = clients.get(client).agent();
            to.process().now(() -> to.listening(kind, false));
        });
    }
}
