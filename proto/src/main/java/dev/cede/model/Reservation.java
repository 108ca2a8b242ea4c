package dev.cede.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Room on a node's cards for a pod that is bound or about to be (B6).
 *
 * @param shares in the order of the pod's containers, one for each card of each; all on one node
 * @param behind the shares it waits for, given out or themselves reserved; with any it is a hold
 * @param epoch the term that asked for it
 * @param plan the saved plan it belongs to, or empty
 */
public record Reservation(
        PodRef pod, List<Share> shares, SortedSet<ShareKey> behind, Epoch epoch, String plan) {

    public Reservation {
        shares = List.copyOf(shares);
        behind = Collections.unmodifiableSortedSet(new TreeSet<>(behind));
    }

    public boolean isHold() {
        return !behind.isEmpty();
    }

    /** What each container is promised, by card, in their order. */
    public Map<String, SortedMap<CardId, Amount>> byContainer() {
        Map<String, SortedMap<CardId, Amount>> parts = new LinkedHashMap<>();
        for (Share share : shares) {
            parts.computeIfAbsent(share.container(), name -> new TreeMap<>())
                    .put(share.card(), share.amount());
        }
        return parts;
    }

    public Reservation withShares(List<Share> left) {
        return new Reservation(pod, left, behind, epoch, plan);
    }

    public Reservation withBehind(SortedSet<ShareKey> left) {
        return new Reservation(pod, shares, left, epoch, plan);
    }
}
