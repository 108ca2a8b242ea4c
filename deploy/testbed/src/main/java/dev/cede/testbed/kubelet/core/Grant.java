package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The devices of one resource that one container has, and what the plugin said to do with them.
 *
 * @param idsByNuma NUMA node, {@link #NO_NUMA} where the plugin named none, to device IDs in order
 */
public record Grant(SortedMap<Long, List<String>> idsByNuma, ContainerAllocateResponse response) {
    /** Kubelet's key for devices without a NUMA node. */
    public static final long NO_NUMA = -1;

    public Grant {
        SortedMap<Long, List<String>> copy = new TreeMap<>();
        idsByNuma.forEach((node, ids) -> copy.put(node, List.copyOf(ids)));
        idsByNuma = Collections.unmodifiableSortedMap(copy);
    }

    public List<String> ids() {
        List<String> all = new ArrayList<>();
        idsByNuma.values().forEach(all::addAll);
        return all.stream().distinct().toList();
    }
}
