package dev.cede.deviceplugin;

import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A container that kubelet is expected to ask devices for.
 *
 * @param parts what it was promised, by card
 */
public record Expected(PodRef pod, String container, SortedMap<CardId, Amount> parts) {
    public Expected {
        parts = Collections.unmodifiableSortedMap(new TreeMap<>(parts));
    }

    /** A reservation's containers, in its order. */
    public static List<Expected> of(Reservation reservation) {
        return reservation.byContainer().entrySet().stream()
                .map(entry -> new Expected(reservation.pod(), entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Devices by card; a card without any of this kind is left out. */
    SortedMap<CardId, Integer> counts(DeviceKind kind) {
        SortedMap<CardId, Integer> counts = new TreeMap<>();
        parts.forEach((card, amount) -> {
            if (kind.countOf(amount) > 0) {
                counts.put(card, kind.countOf(amount));
            }
        });
        return counts;
    }

    /** Devices in all, which is what one call of kubelet asks for. */
    int total(DeviceKind kind) {
        return parts.values().stream().mapToInt(kind::countOf).sum();
    }
}
