package dev.cede.deviceplugin;

import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.DeviceSpec;
import dev.cede.kubelet.deviceplugin.Mount;
import dev.cede.kubelet.deviceplugin.PreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.PreferredAllocationResponse;

import java.nio.file.Path;
import java.util.List;

/** Between kubelet's messages and ours. */
final class Answers {
    static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
    static final String CORE_PERCENTAGE = "CEDE_CORE_PERCENTAGE";

    private Answers() {}

    static List<Offer> offers(PreferredAllocationRequest request) {
        return request.getContainerRequestsList().stream()
                .map(each -> new Offer(
                        each.getAvailableDeviceIDsList(),
                        each.getMustIncludeDeviceIDsList(),
                        each.getAllocationSize()))
                .toList();
    }

    static PreferredAllocationResponse preferred(List<List<String>> ids) {
        PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
        ids.forEach(each -> response.addContainerResponsesBuilder().addAllDeviceIDs(each));
        return response.build();
    }

    static AllocateResponse allocated(List<Grant> grants) {
        AllocateResponse.Builder response = AllocateResponse.newBuilder();
        grants.forEach(grant -> response.addContainerResponses(allocated(grant)));
        return response.build();
    }

    private static ContainerAllocateResponse allocated(Grant grant) {
        return switch (grant) {
            case Grant.Core core ->
                ContainerAllocateResponse.newBuilder()
                        .putEnvs(CORE_PERCENTAGE, Integer.toString(core.percentage()))
                        .build();
            case Grant.Memory memory -> {
                ContainerAllocateResponse.Builder answer = ContainerAllocateResponse.newBuilder()
                        .putEnvs(VISIBLE_DEVICES, String.join(",", memory.cards()))
                        .addMounts(mount(memory.limitDirectory()));
                memory.deviceFiles()
                        .forEach((inside, host) -> answer.addDevices(spec(inside, host)));
                yield answer.build();
            }
        };
    }

    private static Mount mount(Path limitDirectory) {
        return Mount.newBuilder()
                .setContainerPath(Grant.LIMITS_IN_CONTAINER)
                .setHostPath(limitDirectory.toString())
                .setReadOnly(true)
                .build();
    }

    private static DeviceSpec spec(String inside, Path host) {
        return DeviceSpec.newBuilder()
                .setContainerPath(inside)
                .setHostPath(host.toString())
                .setPermissions("rw")
                .build();
    }
}
