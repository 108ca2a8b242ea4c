package dev.cede.deviceplugin;

import dev.cede.model.Card;
import dev.cede.model.CardId;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which card a device ID belongs to: a prefix of the card's UUID, 8 digits or more, the shortest
 * that no other card of the node has. A card with shares given out keeps its prefix.
 *
 * @param prefixes by card
 */
public record DeviceNames(SortedMap<CardId, String> prefixes) {
    /** Percent of a card. */
    public static final int CORE_DEVICES = 100;

    private static final int SHORTEST = 8;
    private static final String GPU = "GPU-";

    public DeviceNames {
        prefixes = Collections.unmodifiableSortedMap(new TreeMap<>(prefixes));
    }

    public static DeviceNames none() {
        return new DeviceNames(new TreeMap<>());
    }

    /** Names for these cards; those in {@code inUse} keep theirs, present or not. */
    public DeviceNames with(Collection<CardId> cards, Set<CardId> inUse) {
        SortedMap<CardId, String> next = new TreeMap<>();
        prefixes.forEach((card, prefix) -> {
            if (inUse.contains(card)) {
                next.put(card, prefix);
            }
        });
        Set<CardId> all = new TreeSet<>(cards);
        all.addAll(next.keySet());
        for (CardId card : all) {
            next.computeIfAbsent(card, added -> shortest(added, all, next));
        }
        return new DeviceNames(next);
    }

    private static String shortest(CardId card, Set<CardId> all, Map<CardId, String> taken) {
        String digits = digits(card);
        return IntStream.rangeClosed(Math.min(SHORTEST, digits.length()), digits.length())
                .mapToObj(length -> digits.substring(0, length))
                .filter(prefix -> !taken.containsValue(prefix))
                .filter(prefix -> all.stream()
                        .allMatch(other -> other.equals(card) || !digits(other).startsWith(prefix)))
                .findFirst()
                .orElse(digits);
    }

    private static String digits(CardId card) {
        String uuid = card.uuid();
        String bare = uuid.startsWith(GPU) ? uuid.substring(GPU.length()) : uuid;
        return bare.replaceAll("[^0-9A-Za-z]", "");
    }

    /** The card of a device of this kind; empty for a name that is none of ours. */
    public Optional<CardId> cardOf(DeviceKind kind, String deviceId) {
        Optional<DeviceId> id = DeviceId.parse(deviceId);
        if (id.isEmpty() || id.get().kind() != kind) {
            return Optional.empty();
        }
        for (Map.Entry<CardId, String> entry : prefixes.entrySet()) {
            if (entry.getValue().equals(id.get().prefix())) {
                return Optional.of(entry.getKey());
            }
        }
        return Optional.empty();
    }

    /** How many of the devices each card has; empty when one belongs to no card. */
    public Optional<SortedMap<CardId, Integer>> countByCard(
            DeviceKind kind, Collection<String> deviceIds) {
        Map<String, CardId> byPrefix = byPrefix();
        SortedMap<CardId, Integer> counts = new TreeMap<>();
        for (String text : deviceIds) {
            CardId card = DeviceId.parse(text)
                    .filter(id -> id.kind() == kind)
                    .map(id -> byPrefix.get(id.prefix()))
                    .orElse(null);
            if (card == null) {
                return Optional.empty();
            }
            counts.merge(card, 1, Integer::sum);
        }
        return Optional.of(counts);
    }

    private Map<String, CardId> byPrefix() {
        Map<String, CardId> cards = new TreeMap<>();
        prefixes.forEach((card, prefix) -> cards.put(prefix, card));
        return cards;
    }

    /** All devices of a card, in order: as many as it has units, or 100. */
    public List<String> devices(Card card, DeviceKind kind) {
        int count = kind == DeviceKind.MEMORY ? card.capacityUnits() : CORE_DEVICES;
        String prefix = prefixes.get(card.id());
        return IntStream.range(0, count)
                .mapToObj(number -> new DeviceId(prefix, kind, number).toString())
                .toList();
    }
}
