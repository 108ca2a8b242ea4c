package dev.cede.sandbox.play;

import dev.cede.sandbox.play.Matcher.Match;
import dev.cede.sandbox.scenario.Action;
import dev.cede.sandbox.scenario.Expectation;
import dev.cede.sandbox.scenario.Scenario;
import dev.cede.sandbox.scenario.Step;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Plays a scenario. After each action it looks for what is expected, one after the other: each at
 * or after the moment at which the one before it was seen.
 */
public final class Player {
    /** Ends the run; the message is a sentence. */
    private static final class NotSeen extends RuntimeException {
        NotSeen(String message) {
            super(message);
        }
    }

    private static final Duration LONG = Duration.ofHours(1);

    /** Kubernetes' own word for a pod that found no place. */
    private static final String WAITING = "FailedScheduling";

    private final Cluster cluster;
    private final Console console;
    private final Matcher matcher;
    private final Timings timings = new Timings();
    private final Map<String, String> names = new TreeMap<>();
    private World world = World.EMPTY;
    private int seen;

    /** What was so since the step's action; the first is how it was then. */
    private final List<World> sinceAction = new ArrayList<>();

    private int cursor;
    private Action action = new Action.Configure(new TreeMap<>());

    public Player(Cluster cluster, Console console) {
        this.cluster = cluster;
        this.console = console;
        this.matcher = new Matcher(cluster.cards());
    }

    /** True if all was seen; what was not has been printed. */
    public boolean play(Scenario scenario) {
        int number = 0;
        try {
            for (Step step : scenario.steps()) {
                number++;
                play(step);
            }
        } catch (NotSeen e) {
            console.bad(cluster.now(), "Step %d, %s.".formatted(number, e.getMessage()));
            return false;
        }
        evictions().forEach(eviction -> eviction.lines().forEach(console::plain));
        console.plain("");
        console.good(
                cluster.now(),
                "All %d expectations of \"%s\" were seen.".formatted(seen, scenario.title()));
        return true;
    }

    /** All that were seen. */
    public List<Eviction> evictions() {
        return timings.evictions(world);
    }

    /** All that was seen up to now. */
    public World world() {
        return world;
    }

    /** Says that the run can begin. */
    public void ready(String text) {
        console.good(cluster.now(), text);
    }

    /** Goes on telling what happens, until the thread is interrupted. */
    public void follow() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                cluster.next(LONG).ifPresent(this::observe);
                sinceAction.clear();
            } catch (NotSeen e) {
                console.bad(cluster.now(), e.getMessage());
            }
        }
    }

    private void play(Step step) {
        drain();
        action = step.action();
        console.doing(cluster.now(), Sentences.of(action));
        sinceAction.clear();
        sinceAction.add(world);
        cursor = 0;
        act();
        for (Expectation wanted : step.see()) {
            Match match = await(wanted);
            seen++;
            console.good(cluster.now(), match.sentence());
            name(wanted, match.uid());
        }
    }

    private void act() {
        Map<String, PodSight> pods = new TreeMap<>();
        names.forEach((name, uid) -> world.pod(uid).ifPresent(pod -> pods.put(name, pod)));
        try {
            cluster.act(action, pods);
        } catch (Cluster.ActionException e) {
            throw new NotSeen(Sentences.of(action) + ": " + e.getMessage());
        }
    }

    private void name(Expectation wanted, String uid) {
        if (wanted instanceof Expectation.Pods pods) {
            pods.as().ifPresent(name -> names.put(name, uid));
        }
    }

    private Match await(Expectation wanted) {
        return switch (wanted) {
            case Expectation.Pods pods -> await(wanted, now -> matcher.match(pods, now, names));
            case Expectation.Released released ->
                await(wanted, now -> matcher.match(released, now, names));
            case Expectation.NoEviction none -> watch(none);
        };
    }

    private interface Look {
        Optional<Match> at(World world);
    }

    private Match await(Expectation wanted, Look look) {
        Duration deadline = cluster.now().plus(wanted.within());
        while (true) {
            for (; cursor < sinceAction.size(); cursor++) {
                Optional<Match> match = look.at(sinceAction.get(cursor));
                if (match.isPresent()) {
                    return match.get();
                }
            }
            if (!observeUntil(deadline)) {
                throw new NotSeen("not seen within %d s: %s. %s"
                        .formatted(
                                wanted.within().toSeconds(),
                                Sentences.of(wanted),
                                matcher.instead(wanted, world, names)));
            }
        }
    }

    private Match watch(Expectation.NoEviction wanted) {
        Duration end = cluster.now().plus(wanted.within());
        while (observeUntil(end)) {
            requireNoEviction();
        }
        requireNoEviction();
        return new Match("", "nobody was evicted");
    }

    private void requireNoEviction() {
        World before = sinceAction.get(0);
        for (PodSight pod : world.pods().values()) {
            boolean already = before.pod(pod.uid()).filter(this::isEvicted).isPresent();
            if (isEvicted(pod) && !already) {
                throw new NotSeen("nobody was to be evicted: " + pod.name() + " "
                        + String.join(", ", Sentences.changes(null, pod)));
            }
        }
    }

    /** Where we delete something ourselves, a pod that leaves may leave for that. */
    private boolean isEvicted(PodSight pod) {
        return pod.evicted() || (pod.terminating() && !(action instanceof Action.Delete));
    }

    /** False when the deadline has come. */
    private boolean observeUntil(Duration deadline) {
        Duration left = deadline.minus(cluster.now());
        if (left.isNegative() || left.isZero()) {
            return false;
        }
        Optional<Sighting> sighting = cluster.next(left);
        sighting.ifPresent(this::observe);
        return sighting.isPresent();
    }

    private void drain() {
        Optional<Sighting> sighting = cluster.next(Duration.ZERO);
        while (sighting.isPresent()) {
            observe(sighting.get());
            sighting = cluster.next(Duration.ZERO);
        }
    }

    private void observe(Sighting sighting) {
        World before = world;
        world = world.with(sighting);
        sinceAction.add(world);
        timings.note(before, sighting, world);
        switch (sighting) {
            case Sighting.PodSeen pod -> changed(pod.at(), before, pod.pod().uid());
            case Sighting.PodGone gone -> changed(gone.at(), before, gone.uid());
            case Sighting.CardsSeen cards -> cards(cards.node());
            case Sighting.EventSeen event -> event(event);
            case Sighting.ProcessesEnded ended ->
                world.pod(ended.uid())
                        .ifPresent(pod -> console.say(
                                ended.at(), pod.name() + ": its last process has ended"));
            case Sighting.PartEnded ended -> throw new NotSeen(ended.what());
        }
    }

    private void event(Sighting.EventSeen event) {
        // What it says is the pod's condition, too, which was told.
        if (!event.reason().equals(WAITING)) {
            String what = "event " + event.reason() + " about " + event.about();
            console.say(event.at(), what + ": " + event.message());
        }
    }

    private void changed(Duration at, World before, String uid) {
        world.pod(uid).ifPresent(pod -> {
            PodSight old = before.pods().get(uid);
            if (!pod.equals(old)) {
                Sentences.changes(old, pod)
                        .forEach(text -> console.say(at, pod.name() + " " + text));
            }
        });
    }

    private void cards(NodeSight node) {
        console.draw(world);
        node.overfull().ifPresent(text -> {
            throw new NotSeen(text);
        });
    }
}
