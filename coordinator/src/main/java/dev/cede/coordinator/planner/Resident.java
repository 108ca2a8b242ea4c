package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.ledger.Load;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;
import dev.cede.model.Share;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A pod with shares on a node; two are the same only if they are one object. */
final class Resident {
    /** By namespace, name and UID. */
    static final Comparator<Resident> BY_NAME =
            Comparator.comparing(resident -> resident.pod().ref());

    /** What may be counted on. */
    enum Standing {
        /** It may be evicted by a higher priority. */
        MAY_GO,
        /** It leaves, and its room is promised to nobody (C5). */
        LEAVING,
        /** Its room is not to be counted on. */
        STAYS
    }

    private final PodFacts pod;
    private final List<Share> shares;
    private final SortedMap<CardId, Load> loads = new TreeMap<>();
    private final Standing standing;
    private final Duration remaining;
    private final String why;

    /**
     * What a pod has of the node.
     *
     * @param shares given out or reserved
     * @param remaining how much of its grace is left; zero unless it leaves
     * @param why it stays; else empty
     */
    Resident(PodFacts pod, List<Share> shares, Standing standing, Duration remaining, String why) {
        this.pod = pod;
        this.shares = List.copyOf(shares);
        this.standing = standing;
        this.remaining = remaining;
        this.why = why;
        for (Share share : shares) {
            loads.merge(share.card(), Load.NONE.plus(share.amount()), Load::plus);
        }
    }

    PodFacts pod() {
        return pod;
    }

    List<Share> shares() {
        return shares;
    }

    Standing standing() {
        return standing;
    }

    Duration remaining() {
        return remaining;
    }

    String why() {
        return why;
    }

    int priority() {
        return pod.priority();
    }

    Load on(CardId card) {
        return loads.getOrDefault(card, Load.NONE);
    }

    boolean isOn(CardId card) {
        return loads.containsKey(card);
    }

    /** Whether none of its shares is on another card (D1). */
    boolean isOnlyOn(CardId card) {
        return loads.size() == 1 && loads.containsKey(card);
    }

    /** Whether one of its shares keeps the other type off the card (B2). */
    boolean clashes(CardId card, IsolationType type) {
        return shares.stream()
                .anyMatch(share ->
                        share.card().equals(card) && !share.amount().type().mayShareCardWith(type));
    }

    /** Not started counts as latest (E5). */
    Instant started() {
        return pod.started().orElse(Instant.MAX);
    }

    String name() {
        return pod.ref().namespacedName();
    }
}
