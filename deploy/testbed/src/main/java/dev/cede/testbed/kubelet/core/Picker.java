package dev.cede.testbed.kubelet.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Puts things into the order in which kubelet would happen to come across them. */
final class Picker {
    private final PickMode mode;
    private final Random random;

    Picker(PickMode mode, Random random) {
        this.mode = mode;
        this.random = random;
    }

    <T> List<T> shuffled(Collection<T> things) {
        List<T> order = new ArrayList<>(things);
        Collections.shuffle(order, random);
        return order;
    }

    /**
     * Orders device IDs to be taken one by one.
     *
     * @param had IDs the container has already, of any resource; the worst mode shuns their cards
     */
    List<String> order(Collection<String> ids, Collection<String> had) {
        List<String> order = shuffled(ids);
        return mode == PickMode.RANDOM ? order : spread(order, cards(had));
    }

    private List<String> spread(List<String> ids, Set<String> shunned) {
        SortedMap<String, Deque<String>> strange = new TreeMap<>();
        SortedMap<String, Deque<String>> own = new TreeMap<>();
        for (String id : ids) {
            String card = card(id);
            (shunned.contains(card) ? own : strange)
                    .computeIfAbsent(card, unused -> new ArrayDeque<>())
                    .add(id);
        }
        List<String> order = new ArrayList<>(ids.size());
        deal(strange, order);
        deal(own, order);
        return order;
    }

    private void deal(SortedMap<String, Deque<String>> byCard, List<String> order) {
        List<Deque<String>> piles = shuffled(byCard.values());
        while (!piles.isEmpty()) {
            piles.removeIf(Deque::isEmpty);
            for (Deque<String> pile : piles) {
                if (!pile.isEmpty()) {
                    order.add(pile.remove());
                }
            }
        }
    }

    private static Set<String> cards(Collection<String> ids) {
        Set<String> cards = new TreeSet<>();
        ids.forEach(id -> cards.add(card(id)));
        return cards;
    }

    /** An ID without its last dash and what follows: devices that share it are parts of one card. */
    private static String card(String id) {
        int dash = id.lastIndexOf('-');
        return dash < 0 ? id : id.substring(0, dash);
    }
}
