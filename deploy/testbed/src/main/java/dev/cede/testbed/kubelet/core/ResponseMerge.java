package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.DeviceSpec;
import dev.cede.kubelet.deviceplugin.Mount;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** What a container's plugins together want of it. The first to want a key gets it. */
final class ResponseMerge {
    private final BiConsumer<String, String> conflicts;
    private final Map<String, String> envs = new LinkedHashMap<>();
    private final Map<String, Mount> mounts = new LinkedHashMap<>();
    private final Map<String, DeviceSpec> devices = new LinkedHashMap<>();
    private final Map<String, String> annotations = new LinkedHashMap<>();

    /** @param conflicts told the kind and key of a thing that two responses want differently */
    ResponseMerge(BiConsumer<String, String> conflicts) {
        this.conflicts = conflicts;
    }

    void add(ContainerAllocateResponse response) {
        response.getEnvsMap()
                .forEach((key, value) -> put(envs, "environment variable", key, value));
        response.getMountsList()
                .forEach(mount -> put(mounts, "mount", mount.getContainerPath(), mount));
        response.getDevicesList()
                .forEach(device -> put(devices, "device", device.getContainerPath(), device));
        response.getAnnotationsMap()
                .forEach((key, value) -> put(annotations, "annotation", key, value));
    }

    private <T> void put(Map<String, T> map, String what, String key, T value) {
        T first = map.putIfAbsent(key, value);
        if (first != null && !first.equals(value)) {
            conflicts.accept(what, key);
        }
    }

    /** The plugins' variables before the pod's, whose value wins. */
    Map<String, String> env(Map<String, String> ofPod) {
        Map<String, String> merged = new LinkedHashMap<>(envs);
        merged.putAll(ofPod);
        return merged;
    }

    List<Mount> mounts() {
        return new ArrayList<>(mounts.values());
    }

    List<DeviceSpec> devices() {
        return new ArrayList<>(devices.values());
    }
}
