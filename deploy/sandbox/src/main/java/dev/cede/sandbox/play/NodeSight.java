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
 * @param cardsOf by pod UID, the cards with an allocated share of it, by index
 * @param inBooks UIDs of all pods with a share or a hold here
 * @param overfull what is wrong if more is given out than a card has, else empty
 */
public record NodeSight(
        String node,
        List<CardView> cards,
        SortedMap<String, List<String>> cardsOf,
        SortedSet<String> inBooks,
        Optional<String> overfull) {
    public NodeSight {
        cards = List.copyOf(cards);
        cardsOf = Collections.unmodifiableSortedMap(new TreeMap<>(cardsOf));
        inBooks = Collections.unmodifiableSortedSet(new TreeSet<>(inBooks));
    }
}
