package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.model.PodRef;

import java.util.List;

/**
 * A container whose devices are known from kubelet's checkpoint.
 *
 * @param memoryIds sorted
 * @param coreIds sorted
 * @param problem why it must not start; empty when it has what was planned
 */
public record Held(
        PodRef pod,
        String container,
        List<String> memoryIds,
        List<String> coreIds,
        String problem) {

    public Held {
        memoryIds = memoryIds.stream().sorted().toList();
        coreIds = coreIds.stream().sorted().toList();
    }

    public ContainerKey key() {
        return new ContainerKey(pod.uid(), container);
    }

    public List<String> ids(DeviceKind kind) {
        return kind == DeviceKind.MEMORY ? memoryIds : coreIds;
    }

    /** The directory of its limits, named by the lowest device; kubelet keeps that name for good. */
    public String limitName() {
        return memoryIds.isEmpty() ? "" : memoryIds.getFirst();
    }
}
