package dev.cede.sandbox.play;

import dev.cede.sandbox.picture.CardView;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A node's cards as its agent showed them.
 *
 * @param cardOf by pod UID, the first card with an allocated share of it
 * @param inBooks UIDs of all pods with a share or a hold here
 * @param overfull what is wrong if more is given out than a card has, else empty
 */
public record NodeSight(
        String node,
        List<CardView> cards,
        SortedMap<String, String> cardOf,
        SortedSet<String> inBooks,
        Optional<String> overfull) {
    public NodeSight {
        cards = List.copyOf(cards);
        cardOf = Collections.unmodifiableSortedMap(new TreeMap<>(cardOf));
        inBooks = Collections.unmodifiableSortedSet(new TreeSet<>(inBooks));
    }
}
