package dev.cede.deviceplugin;

import dev.cede.model.CardId;

import java.util.Optional;
import java.util.SortedMap;

/** Whether a container expects what a call asks for. */
sealed interface Match {
    /**
     * One does.
     *
     * @param container empty for an unplanned one
     * @param counts the devices it is to have, by card
     * @param earlier the grant of the container's other resource, where that came first
     */
    record Found(
            Optional<Expected> container,
            SortedMap<CardId, Integer> counts,
            Optional<Given> earlier)
            implements Match {}

    record None(String reason) implements Match {}
}
