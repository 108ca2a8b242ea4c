package dev.cede.agent.core;

import java.util.Comparator;

/** A container of a pod object. */
public record ContainerKey(String podUid, String container) implements Comparable<ContainerKey> {
    private static final Comparator<ContainerKey> ORDER =
            Comparator.comparing(ContainerKey::podUid).thenComparing(ContainerKey::container);

    @Override
    public int compareTo(ContainerKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return podUid + "/" + container;
    }
}
