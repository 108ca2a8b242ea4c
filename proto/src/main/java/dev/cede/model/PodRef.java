package dev.cede.model;

import java.util.Comparator;

/**
 * A pod object; only the UID tells it from a later one of the same name (B7). Kubelet's record of
 * devices has nothing but UIDs, so where an agent finds a pod there that nobody told it of, namespace
 * and name are empty.
 */
public record PodRef(String namespace, String name, String uid) implements Comparable<PodRef> {
    private static final Comparator<PodRef> ORDER = Comparator.comparing(PodRef::namespace)
            .thenComparing(PodRef::name)
            .thenComparing(PodRef::uid);

    public boolean isNamed() {
        return !name.isEmpty();
    }

    public String namespacedName() {
        return namespace + "/" + name;
    }

    @Override
    public int compareTo(PodRef other) {
        return ORDER.compare(this, other);
    }
}
