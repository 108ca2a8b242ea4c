package dev.cede.sandbox.play;

import dev.cede.sandbox.picture.CardView;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that was seen up to a moment.
 *
 * @param pods by UID, those that are gone too
 * @param nodes by name
 * @param lastCards by pod UID, the cards it was on at last
 * @param alive by pod UID, how many of its processes lived when its agent spoke last
 */
public record World(
        SortedMap<String, PodSight> pods,
        SortedMap<String, NodeSight> nodes,
        SortedMap<String, List<String>> lastCards,
        SortedMap<String, Integer> alive) {

    static final World EMPTY =
            new World(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    public World {
        pods = Collections.unmodifiableSortedMap(pods);
        nodes = Collections.unmodifiableSortedMap(nodes);
        lastCards = Collections.unmodifiableSortedMap(lastCards);
        alive = Collections.unmodifiableSortedMap(alive);
    }

    World with(Sighting sighting) {
        return switch (sighting) {
            case Sighting.PodSeen seen -> withPod(seen.pod());
            case Sighting.PodGone gone ->
                pod(gone.uid()).map(pod -> withPod(pod.asGone())).orElse(this);
            case Sighting.CardsSeen seen -> withNode(seen.node(), seen.alive());
            case Sighting.EventSeen event -> this;
            case Sighting.ProcessesEnded ended -> this;
            case Sighting.PartEnded ended -> this;
        };
    }

    private World withPod(PodSight pod) {
        SortedMap<String, PodSight> changed = new TreeMap<>(pods);
        changed.put(pod.uid(), pod);
        return new World(changed, nodes, lastCards, alive);
    }

    private World withNode(NodeSight node, SortedMap<String, Integer> nowAlive) {
        SortedMap<String, NodeSight> changed = new TreeMap<>(nodes);
        changed.put(node.node(), node);
        SortedMap<String, List<String>> cards = new TreeMap<>(lastCards);
        cards.putAll(node.cardsOf());
        return new World(pods, changed, cards, new TreeMap<>(nowAlive));
    }

    Optional<PodSight> pod(String uid) {
        return Optional.ofNullable(pods.get(uid));
    }

    /** The cards with an allocated share of this pod, such as n0/c0. */
    List<String> cardsOf(String uid) {
        return nodes.values().stream()
                .map(node -> node.cardsOf().getOrDefault(uid, List.of()))
                .filter(cards -> !cards.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    boolean inBooks(String uid) {
        return nodes.values().stream().anyMatch(node -> node.inBooks().contains(uid));
    }

    List<CardView> cards() {
        return nodes.values().stream().flatMap(node -> node.cards().stream()).toList();
    }
}
