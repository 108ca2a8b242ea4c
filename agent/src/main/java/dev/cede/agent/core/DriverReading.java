package dev.cede.agent.core;

import dev.cede.model.Card;
import dev.cede.model.CardId;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What driver and processes looked like, all of it read after the request with this ticket.
 *
 * @param cards foreign use not yet counted
 * @param unread cards whose list of processes could not be read
 * @param pods live processes in the cgroups of the pods that were asked about
 */
public record DriverReading(
        long ticket,
        List<Card> cards,
        SortedSet<CardId> unread,
        List<DriverEntry> entries,
        SortedMap<String, List<LiveProcess>> pods) {
    public DriverReading {
        cards = List.copyOf(cards);
        unread = Collections.unmodifiableSortedSet(new TreeSet<>(unread));
        entries = List.copyOf(entries);
        pods = Collections.unmodifiableSortedMap(new TreeMap<>(pods));
    }

    /** Whether it tells anything about who uses the card. */
    boolean shows(CardId card) {
        return !unread.contains(card)
                && cards.stream().anyMatch(each -> each.id().equals(card));
    }
}
