package dev.cede.deviceplugin;

import dev.cede.model.CardId;

import java.util.List;
import java.util.Set;

/**
 * What a call is judged by besides the expectations.
 *
 * @param held devices of shares in the books
 * @param unplannedCards cards that may serve a container nobody planned, best first; empty where
 *     such containers are refused (A7)
 * @param nowMillis on a clock that only goes forward
 */
public record CallContext(Set<String> held, List<CardId> unplannedCards, long nowMillis) {}
