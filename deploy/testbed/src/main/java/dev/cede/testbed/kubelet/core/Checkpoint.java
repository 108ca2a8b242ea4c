package dev.cede.testbed.kubelet.core;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What kubelet writes down about devices: the only place that ties device IDs to a pod's UID. */
public record Checkpoint(List<Entry> entries, SortedMap<String, List<String>> registered) {
    /** One container's devices of one resource. */
    public record Entry(String podUid, String container, String resource, Grant grant) {}

    public static final Checkpoint EMPTY = new Checkpoint(List.of(), new TreeMap<>());

    public Checkpoint {
        entries = List.copyOf(entries);
        registered = Collections.unmodifiableSortedMap(new TreeMap<>(registered));
    }
}
