package dev.cede.agent.core;

import dev.cede.deviceplugin.Given;
import dev.cede.model.BookedShare;
import dev.cede.model.Epoch;
import dev.cede.model.Reservation;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What must survive the agent's own end.
 *
 * @param highestEpoch orders of older ones are refused
 * @param prefixes of the device IDs, by card UUID
 * @param reservations oldest first
 * @param given granted to kubelet and not yet identified
 * @param over pods that kubelet is done with
 * @param freed pods, and containers, that kubelet may still name, and since when, in ms
 */
public record Checkpoint(
        Epoch highestEpoch,
        SortedMap<String, String> prefixes,
        List<Reservation> reservations,
        List<BookedShare> shares,
        List<Held> held,
        List<Given> given,
        List<String> over,
        SortedMap<String, Long> freed,
        List<Attribution> attributions) {
    public Checkpoint {
        prefixes = Collections.unmodifiableSortedMap(new TreeMap<>(prefixes));
        reservations = List.copyOf(reservations);
        shares = List.copyOf(shares);
        held = List.copyOf(held);
        given = List.copyOf(given);
        over = List.copyOf(over);
        freed = Collections.unmodifiableSortedMap(new TreeMap<>(freed));
        attributions = List.copyOf(attributions);
    }
}
