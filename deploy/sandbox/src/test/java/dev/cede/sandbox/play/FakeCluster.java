package dev.cede.sandbox.play;

import dev.cede.sandbox.picture.CardView;
import dev.cede.sandbox.picture.CardView.ShareView;
import dev.cede.sandbox.scenario.Action;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** A cluster in which, after each action, happens what was written down for it. */
final class FakeCluster implements Cluster {
    private static final Duration STEP = Duration.ofMillis(10);

    private final Deque<List<Sighting>> afterActions = new ArrayDeque<>();
    private final Deque<Sighting> happening = new ArrayDeque<>();
    final List<Action> actions = new ArrayList<>();
    private final int cards;
    private Duration now = Duration.ZERO;

    FakeCluster(int cards) {
        this.cards = cards;
    }

    /** What happens after the next action that has nothing yet. */
    FakeCluster then(Sighting... sightings) {
        afterActions.add(List.of(sightings));
        return this;
    }

    static Sighting pod(Pod pod) {
        return new Sighting.PodSeen(STEP, pod.sight());
    }

    static Sighting gone(String uid) {
        return new Sighting.PodGone(STEP, uid);
    }

    /** One card of 64 units on n0 with an allocated share for each of these pods. */
    static Sighting card(String... uids) {
        return card(Map.of(), uids);
    }

    static Sighting card(Map<String, Integer> alive, String... uids) {
        List<ShareView> shares = new ArrayList<>();
        TreeMap<String, List<String>> cardsOf = new TreeMap<>();
        for (String uid : uids) {
            shares.add(new ShareView(uid, "main", 64, 0, CardView.State.ALLOCATED));
            cardsOf.put(uid, List.of("n0/c0"));
        }
        CardView card = new CardView("n0", 0, 64, 0, 0, 0, "memory", shares, List.of());
        Optional<String> overfull =
                uids.length > 1 ? Optional.of("n0/c0 has too much given out") : Optional.empty();
        NodeSight node =
                new NodeSight("n0", List.of(card), cardsOf, new TreeSet<>(List.of(uids)), overfull);
        return new Sighting.CardsSeen(STEP, node, new TreeMap<>(alive));
    }

    /** A pod of a workload, named by its UID, changed step by step. */
    record Pod(String workload, PodSight sight) {
        static Pod pending(String workload, String uid) {
            return new Pod(
                    workload,
                    new PodSight(
                            uid, "default", uid, workload, "Pending", false, "", "", List.of(), "",
                            "", false));
        }

        Pod running() {
            return with("Running", sight.terminating(), "n0", sight.conditions(), "");
        }

        Pod evicted() {
            return with(sight.phase(), true, sight.node(), List.of(PodSight.EVICTED), "");
        }

        Pod because(String text) {
            return with(sight.phase(), false, "", List.of(), text);
        }

        private Pod with(
                String phase,
                boolean terminating,
                String node,
                List<String> conditions,
                String because) {
            return new Pod(
                    workload,
                    new PodSight(
                            sight.uid(),
                            "default",
                            sight.name(),
                            workload,
                            phase,
                            terminating,
                            node,
                            sight.nominatedNode(),
                            conditions,
                            because,
                            "",
                            false));
        }
    }

    @Override
    public void act(Action action, Map<String, PodSight> podNames) {
        actions.add(action);
        happening.addAll(afterActions.isEmpty() ? List.of() : afterActions.removeFirst());
    }

    @Override
    public Optional<Sighting> next(Duration patience) {
        Optional<Sighting> next = Optional.ofNullable(happening.pollFirst());
        now = now.plus(next.isPresent() ? STEP : patience);
        return next;
    }

    @Override
    public Duration now() {
        return now;
    }

    @Override
    public int cards() {
        return cards;
    }
}
