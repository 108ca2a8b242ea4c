package dev.cede.testbed.kubelet.core;

import java.util.List;

/**
 * A device as its plugin lists it.
 *
 * @param numaNodes empty where the plugin gave no topology
 */
public record PluginDevice(String id, boolean healthy, List<Long> numaNodes) {
    public PluginDevice {
        numaNodes = List.copyOf(numaNodes);
    }

    public static PluginDevice healthy(String id) {
        return new PluginDevice(id, true, List.of());
    }
}
