package dev.cede.testbed.kubelet.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;

/** A pod as PodResources shows it: container name, resource, devices; no UID. */
public record PodDevices(
        String namespace, String name, Map<String, SortedMap<String, Grant>> containers) {
    public PodDevices {
        containers = Collections.unmodifiableMap(new LinkedHashMap<>(containers));
    }
}
