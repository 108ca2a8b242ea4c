package dev.cede.sandbox.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A YAML map that is read key by key; what nobody took is refused by {@link #requireAllTaken}. */
final class Fields {
    private final String place;
    private final Map<String, Object> left = new LinkedHashMap<>();

    /** @param place where in the file it stands, for messages */
    Fields(String place, Object value) {
        this.place = place;
        if (!(value instanceof Map<?, ?> map)) {
            throw new ScenarioException(place + " takes a map of keys and values.");
        }
        map.forEach((key, content) -> left.put(String.valueOf(key), content));
    }

    String place() {
        return place;
    }

    boolean has(String key) {
        return left.containsKey(key);
    }

    Optional<String> text(String key) {
        Object value = left.remove(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof Map || value instanceof List || value.toString().isBlank()) {
            throw refused(key, "a text", value);
        }
        return Optional.of(value.toString());
    }

    String requiredText(String key) {
        return text(key).orElseThrow(() -> new ScenarioException(place + " lacks " + key + "."));
    }

    /** A whole number, from 1 on. */
    Optional<Integer> number(String key, int most) {
        return text(key).map(word -> number(key, word, most));
    }

    int number(String key, String word, int most) {
        try {
            int number = Integer.parseInt(word);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Told below, as a number out of range is.
        }
        throw refused(key, "a whole number from 1 to " + most, word);
    }

    /** One text or a list of them. */
    List<String> texts(String key) {
        if (!(left.get(key) instanceof List<?> list)) {
            return text(key).stream().toList();
        }
        left.remove(key);
        return list.stream().map(String::valueOf).toList();
    }

    List<?> list(String key) {
        Object value = left.remove(key);
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw refused(key, "a list", value);
    }

    boolean isTrue(String key) {
        Object value = left.remove(key);
        if (value != null && !value.equals(true)) {
            throw refused(key, "only true", value);
        }
        return value != null;
    }

    /** A map of plain values. */
    SortedMap<String, String> plainMap(String key) {
        Fields inner = new Fields(place + "." + key, left.remove(key));
        SortedMap<String, String> values = new TreeMap<>();
        for (String name : List.copyOf(inner.left.keySet())) {
            values.put(name, inner.requiredText(name));
        }
        if (values.isEmpty()) {
            throw new ScenarioException(inner.place + " is empty.");
        }
        return values;
    }

    ScenarioException refused(String key, String accepts, Object value) {
        return new ScenarioException(
                "%s.%s takes %s, not %s.".formatted(place, key, accepts, value));
    }

    void requireAllTaken(String accepted) {
        if (!left.isEmpty()) {
            throw new ScenarioException("%s has the unknown key %s; it takes %s."
                    .formatted(place, left.keySet().iterator().next(), accepted));
        }
    }
}
