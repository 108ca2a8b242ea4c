package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.DeviceSpec;
import dev.cede.kubelet.deviceplugin.Mount;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that a runtime needs to start a container.
 *
 * @param containerId 64 hex digits
 * @param env the plugins' variables first, then the pod's own, of which an equal key wins
 */
public record ContainerLaunch(
        PodSpec.Id pod,
        PodSpec.Qos qos,
        ContainerSpec spec,
        String containerId,
        Map<String, String> env,
        List<Mount> mounts,
        List<DeviceSpec> devices) {

    public ContainerLaunch {
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        mounts = List.copyOf(mounts);
        devices = List.copyOf(devices);
    }
}
