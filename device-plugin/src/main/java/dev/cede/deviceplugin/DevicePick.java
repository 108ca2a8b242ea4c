package dev.cede.deviceplugin;

import dev.cede.model.CardId;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Picks exactly as many of the offered devices as are asked for, lowest first. */
final class DevicePick {
    /**
     * The devices picked, or why there are none.
     *
     * @param refusal why there are none
     */
    record Picked(List<String> ids, Optional<String> refusal) {
        static Picked refused(String reason) {
            return new Picked(List.of(), Optional.of(reason));
        }
    }

    private final Round round;
    private final Offer offer;

    DevicePick(Round round, Offer offer) {
        this.round = round;
        this.offer = offer;
    }

    Picked from(SortedMap<CardId, Integer> counts) {
        Set<String> taken = round.taken();
        SortedMap<CardId, Integer> open = new TreeMap<>(counts);
        Set<String> picked = new TreeSet<>();
        for (String must : new TreeSet<>(offer.mustInclude())) {
            if (taken.contains(must) || !take(must, open)) {
                return Picked.refused(
                        "kubelet insists on " + must + ", which is not of the reserved room");
            }
            picked.add(must);
        }
        int size = counts.values().stream().mapToInt(Integer::intValue).sum();
        for (String id : new TreeSet<>(offer.available())) {
            if (picked.size() == size) {
                break;
            }
            if (!taken.contains(id) && !picked.contains(id) && take(id, open)) {
                picked.add(id);
            }
        }
        return lacking(open)
                .map(Picked::refused)
                .orElseGet(() -> new Picked(List.copyOf(picked), Optional.empty()));
    }

    private boolean take(String id, SortedMap<CardId, Integer> open) {
        Optional<CardId> card = round.names().cardOf(round.kind(), id);
        int left = card.map(each -> open.getOrDefault(each, 0)).orElse(0);
        if (left == 0) {
            return false;
        }
        open.put(card.orElseThrow(), left - 1);
        return true;
    }

    private Optional<String> lacking(Map<CardId, Integer> open) {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry -> "kubelet offers " + entry.getValue() + " too few devices of "
                        + round.kind().resource() + " on card " + entry.getKey())
                .findFirst();
    }
}
