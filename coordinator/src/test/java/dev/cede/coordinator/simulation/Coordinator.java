package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.kubernetes.OwnerFactsReader;
import dev.cede.coordinator.kubernetes.ShellRequests;
import dev.cede.coordinator.loop.CoordinatorCore;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.Epoch;
import dev.cede.model.Order;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;

/** A coordinator from its start to its death: the real core in a thin shell. */
final class Coordinator implements EventSink {
    /** Where a loop's thread gets its turn. */
    private static final long MOST_TURN = 3;

    private final String address;
    private final World world;
    private final SimulatedProcess process;
    private final CoordinatorCore core;
    private final Contender contender;
    private final Calls calls;
    private final Links links;
    private final List<Informer<?>> informers = new ArrayList<>();
    private final Draws draws;
    private final Queue<Event> inbox = new ArrayDeque<>();
    private boolean scheduled;
    private int unlisted;
    private long wakeAt = Long.MAX_VALUE;
    private Epoch term = Epoch.NONE;

    Coordinator(World world, String address, int start) {
        this.world = world;
        this.address = address;
        this.draws = Draws.of(world.seed, address + "#" + start);
        this.process = new SimulatedProcess(world.time);
        this.core = new CoordinatorCore(world.settings);
        this.contender = new Contender(
                address,
                world.zookeeper,
                process,
                this,
                world.faults,
                Draws.of(world.seed, address + "#" + start + "/zookeeper"));
        this.links = new Links(this, contender::leader);
        this.calls = new Calls(
                world,
                process,
                contender,
                this,
                Draws.of(world.seed, address + "#" + start + "/calls"));
        informers.add(
                informer(world.api.nodes, ShellRequests.nodes(Api::facts, this::listed, this)));
        owners(world.api.replicaSets, OwnerFactsReader::read);
        owners(world.api.statefulSets, OwnerFactsReader::read);
        owners(world.api.jobs, OwnerFactsReader::read);
        informers.add(
                informer(world.api.pods, ShellRequests.pods(world.api::facts, this::listed, this)));
        world.api.groups.forEach((kind, history) ->
                informers.add(informer(history, ShellRequests.groups(kind, this::listed, this))));
        unlisted = informers.size();
    }

    private <T extends HasMetadata> void owners(
            Api.History<T> history, Function<T, OwnerFacts> facts) {
        informers.add(informer(history, ShellRequests.owners(facts, this::listed, this)));
    }

    private <T extends HasMetadata> Informer<T> informer(
            Api.History<T> history, ResourceEventHandler<T> handler) {
        Draws own = Draws.of(draws.seed(), "informer");
        return new Informer<>(history, handler, process, world.time, world.faults, own);
    }

    void start() {
        informers.forEach(Informer::start);
        contender.start();
    }

    private void listed() {
        if (--unlisted == 0) {
            post(new Event.CachesSynced());
        }
    }

    boolean isAt(String other) {
        return address.equals(other);
    }

    String address() {
        return address;
    }

    SimulatedProcess process() {
        return process;
    }

    Links links() {
        return links;
    }

    Contender contender() {
        return contender;
    }

    CoordinatorCore core() {
        return core;
    }

    void cutWatch() {
        draws.pick(informers).cut();
    }

    @Override
    public void post(Event event) {
        inbox.add(event);
        if (!scheduled) {
            scheduled = true;
            process.after(draws.skewed(0, MOST_TURN), this::turn);
        }
    }

    private void turn() {
        scheduled = false;
        while (!inbox.isEmpty() && process.isAlive()) {
            take(inbox.remove());
        }
    }

    private void take(Event event) {
        world.time.trace(address, () -> "<- " + event);
        before(event);
        for (Effect effect : core.on(event, world.time.instant())) {
            world.time.trace(address, () -> "-> " + effect);
            run(effect);
        }
        after(event);
    }

    private void before(Event event) {
        if (event instanceof Event.LeadershipGained gained) {
            term = gained.epoch();
            calls.term(term.value());
        } else if (event instanceof Event.LeadershipLost) {
            term = Epoch.NONE;
            calls.term(term.value());
        }
    }

    private void after(Event event) {
        if (event instanceof Event.LeadershipGained) {
            links.lead();
        } else if (event instanceof Event.LeadershipLost) {
            links.stop();
        }
    }

    private void run(Effect effect) {
        switch (effect) {
            case Effect.SavePlan save -> {
                if (world.bug.actsUnsaved()) {
                    post(new Event.PlanSaved(save.plan().id()));
                    process.after(1_000, () -> contender.save(save.plan()));
                } else {
                    contender.save(save.plan());
                }
            }
            case Effect.ReplacePlan replace -> {
                world.tally.count("plans replaced");
                contender.replace(replace.old(), replace.successor());
            }
            case Effect.ClosePlan close -> {
                if (!close.reason().equals("done")) {
                    world.tally.count("plans abandoned");
                }
                contender.close(term, close.plan());
            }
            case Effect.Send send -> links.send(send);
            case Effect.Bind bind -> {
                if (contender.isOurs()) {
                    Gangs.bindDecided(world, bind);
                }
                calls.bind(bind);
            }
            case Effect.StepDown down -> contender.stepDown(down.term());
            case Effect.RollBack back -> calls.rollBack(back);
            case Effect.Fence fence -> calls.fence(fence);
            case Effect.Nominate nominate -> calls.nominate(nominate);
            case Effect.ReportPending report -> calls.reportPending(report);
            case Effect.Evict evict -> evict(evict);
            case Effect.ReadPod read -> calls.readPod(read);
            case Effect.FindPod find -> calls.findPod(find);
            case Effect.AnnounceNode announce -> {}
            case Effect.MoveGroup move -> calls.moveGroup(move);
            case Effect.Announce announce -> calls.announce(announce);
            case Effect.Log log -> {}
            case Effect.WakeAt wake -> wakeAt(Timeline.millis(wake.time()));
        }
    }

    private void evict(Effect.Evict evict) {
        calls.evict(evict);
        if (world.bug.freesEvicted()) {
            links.streams()
                    .forEach(stream -> links.send(new Effect.Send(
                            stream.agent.site().name(),
                            stream.number,
                            term,
                            "bug-" + evict.victim().uid(),
                            new Order.Free(evict.victim().ref()))));
        }
    }

    private void wakeAt(long due) {
        if (due < wakeAt) {
            wakeAt = due;
            process.after(Math.max(1, due - world.time.now()), () -> {
                if (wakeAt == due) {
                    wakeAt = Long.MAX_VALUE;
                    take(new Event.Tick());
                }
            });
        }
    }

    void kill() {
        process.kill();
        world.zookeeper.silent(contender.session());
        links.streams().forEach(Stream::breaks);
    }
}
