package dev.cede.deviceplugin;

import dev.cede.model.CardId;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Devices that kubelet was granted and whose container is not yet read from its checkpoint.
 *
 * @param ids sorted
 * @param counts devices by card
 * @param podUid the container it is taken to be for; empty for an unplanned one
 * @param atMillis when, on the clock of the calls
 */
public record Given(
        DeviceKind kind,
        List<String> ids,
        SortedMap<CardId, Integer> counts,
        String podUid,
        String container,
        long atMillis) {

    public Given {
        ids = ids.stream().sorted().toList();
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    boolean isFor(Expected expected) {
        return podUid.equals(expected.pod().uid()) && container.equals(expected.container());
    }

    public boolean isUnplanned() {
        return podUid.isEmpty();
    }

    Given guessedFor(Expected expected) {
        return new Given(kind, ids, counts, expected.pod().uid(), expected.container(), atMillis);
    }
}
