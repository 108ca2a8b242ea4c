package dev.cede.deviceplugin;

import java.util.List;

/**
 * What kubelet's checkpoint says about one resource of one container.
 *
 * @param ids sorted
 */
public record KubeletEntry(String podUid, String container, DeviceKind kind, List<String> ids) {
    public KubeletEntry {
        ids = ids.stream().sorted().toList();
    }
}
