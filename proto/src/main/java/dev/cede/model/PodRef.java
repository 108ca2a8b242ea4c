package dev.cede.model;

import java.util.Comparator;

/** A pod object; only the UID tells it from a later one of the same name (B7). */
public record PodRef(String namespace, String name, String uid) implements Comparable<PodRef> {
    private static final Comparator<PodRef> ORDER = Comparator.comparing(PodRef::namespace)
            .thenComparing(PodRef::name)
            .thenComparing(PodRef::uid);

    public String namespacedName() {
        return namespace + "/" + name;
    }

    @Override
    public int compareTo(PodRef other) {
        return ORDER.compare(this, other);
    }
}
