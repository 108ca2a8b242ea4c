package dev.cede.testbed.apiserver;

import java.util.Comparator;
import tools.jackson.databind.JsonNode;

/** Where an object is kept: its kind as stored, its namespace (empty if it has none), its name. */
record Key(ResourceKind kind, String namespace, String name) implements Comparable<Key> {

    private static final Comparator<Key> ORDER = Comparator.comparing(
                    (Key key) -> key.kind().plural())
            .thenComparing(key -> key.kind().group())
            .thenComparing(Key::namespace)
            .thenComparing(Key::name);

    static Key of(ResourceKind kind, JsonNode object) {
        return new Key(
                kind,
                Json.text(object, "metadata", "namespace"),
                Json.text(object, "metadata", "name"));
    }

    @Override
    public int compareTo(Key other) {
        return ORDER.compare(this, other);
    }
}
