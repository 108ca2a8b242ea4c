package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.LoopSettings;
import dev.cede.coordinator.loop.OurNames;
import dev.cede.coordinator.loop.WorkloadPolicy;
import dev.cede.coordinator.planner.PlannerSettings;

import io.fabric8.kubernetes.api.model.Pod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** A whole cluster in virtual time, drawn from a seed. */
final class World {
    /** How long after the last fault everything has to be settled. */
    private static final long BOUND = 180_000;

    /** How often it is looked at whether everything is settled. */
    private static final long LOOK = 1_000;

    final long seed;
    final Timeline time;
    final Tally tally = new Tally();
    final Bug bug;
    final Faults faults;
    final LoopSettings settings;
    final Api api;
    final Zookeeper zookeeper;
    final Checks checks;
    final List<Site> sites = new ArrayList<>();
    private final List<Coordinator> coordinators = new ArrayList<>();
    private final Map<String, PodFacts> everSeen = new HashMap<>();
    private final Draws draws;
    private final Workload workload;
    private int podChanges;
    private int starts;

    World(long seed, Bug bug, boolean tracing) {
        this.seed = seed;
        this.bug = bug;
        this.time = new Timeline(tracing);
        this.draws = Draws.of(seed, "world");
        this.faults =
                draws.chance(0.1) ? Faults.none(time) : Faults.draw(Draws.of(seed, "faults"), time);
        this.settings = settings(Draws.of(seed, "settings"));
        this.api = new Api(Draws.of(seed, "api").seed(), time);
        this.zookeeper = new Zookeeper(time, tally);
        this.checks = new Checks(this);
        api.pods.listen(this::note);
        int nodes = draws.pick(List.of(1, 2, 2, 3));
        int most = 0;
        for (int i = 0; i < nodes; i++) {
            List<Integer> cards = cards();
            most = Math.max(most, cards.stream().mapToInt(each -> each).max().orElseThrow());
            sites.add(new Site(this, "n" + i, cards));
        }
        this.workload =
                new Workload(this, Draws.of(seed, "workload"), most, draws.count(3, 3 + 4 * nodes));
    }

    private List<Integer> cards() {
        List<Integer> cards = new ArrayList<>();
        int count = draws.count(1, 2);
        for (int i = 0; i < count; i++) {
            cards.add(draws.count(3, 8));
        }
        return cards;
    }

    private static LoopSettings settings(Draws draws) {
        PlannerSettings planner = new PlannerSettings(
                true,
                draws.chance(0.6),
                5,
                20,
                draws.chance(0.3),
                draws.chance(0.3),
                false,
                Duration.ofSeconds(draws.between(0, 60)));
        return new LoopSettings(
                new OurNames(new TreeSet<>(List.of("volcano")), false),
                planner,
                draws.pick(List.of(WorkloadPolicy.values())),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(draws.between(5, 30)),
                Duration.ofSeconds(60),
                Duration.ofSeconds(draws.between(5, 30)),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10));
    }

    private void note() {
        while (podChanges < api.pods.changes.size()) {
            Pod pod = api.pods.changes.get(podChanges++).object();
            everSeen.put(pod.getMetadata().getUid(), api.facts(pod));
        }
    }

    /** The pod as it was last, whether or not it is still there. */
    PodFacts everSeen(String uid) {
        return everSeen.get(uid);
    }

    Collection<PodFacts> everSeen() {
        return everSeen.values();
    }

    Optional<PodFacts> lastOf(String uid) {
        return Optional.ofNullable(everSeen.get(uid));
    }

    List<Coordinator> coordinators() {
        return coordinators;
    }

    /** Runs it to its end; throws what does not hold. */
    void run() {
        start();
        while (time.step(Faults.END)) {
            // Everything happens in the queue.
        }
        for (long limit = Faults.END + LOOK; ; limit += LOOK) {
            while (time.step(limit)) {
                // As above.
            }
            Optional<String> open = Settled.whyNot(this);
            if (open.isEmpty()) {
                return;
            }
            String why = open.get();
            Violation.unless(limit < Faults.END + BOUND, "does not settle", () -> why);
        }
    }

    private void start() {
        workload.start();
        for (Site site : sites) {
            site.startKubelet();
            time.after(draws.between(1, 500), site::startAgent);
        }
        for (String address : List.of("c0", "c1")) {
            Coordinator coordinator = new Coordinator(this, address, ++starts);
            coordinators.add(coordinator);
        }
        coordinators.forEach(each -> time.after(draws.between(1, 300), each::start));
        faults.timed.forEach(fault -> time.at(fault.at(), () -> strike(fault.kind())));
    }

    private void strike(Faults.Kind kind) {
        time.trace("fault", kind::toString);
        tally.count("faults: " + kind);
        switch (kind) {
            case LEADER_CRASH -> leader().ifPresent(this::crash);
            case STANDBY_CRASH ->
                coordinators.stream()
                        .filter(each -> !each.contender().leads())
                        .findFirst()
                        .ifPresent(this::crash);
            case LEADER_PAUSE -> leader().ifPresent(this::pause);
            case ZOOKEEPER_CUT ->
                draws.pick(coordinators).contender().cut(draws.between(200, 9_000));
            case AGENT_CRASH -> draws.pick(sites).agentDies();
            case KUBELET_RESTART -> draws.pick(sites).kubeletStops();
            case STREAM_BREAK ->
                draws.pick(sites).agent().flatMap(Agent::stream).ifPresent(Stream::breaks);
            case WATCH_CUT -> draws.pick(coordinators).cutWatch();
        }
    }

    private Optional<Coordinator> leader() {
        return coordinators.stream()
                .filter(each -> each.process().isAlive() && each.contender().leads())
                .findFirst();
    }

    private void crash(Coordinator dead) {
        if (!dead.process().isAlive()) {
            return;
        }
        dead.kill();
        time.after(draws.between(500, 10_000), () -> {
            Coordinator next = new Coordinator(this, dead.address(), ++starts);
            coordinators.set(coordinators.indexOf(dead), next);
            next.start();
        });
    }

    private void pause(Coordinator paused) {
        if (paused.process().isPaused()) {
            return;
        }
        paused.process().pause();
        zookeeper.silent(paused.contender().session());
        time.after(draws.between(200, 12_000), () -> {
            if (paused.process().isAlive()) {
                paused.contender().wake();
                paused.process().resume();
            }
        });
    }
}
