package dev.cede.deviceplugin;

import java.util.List;

/**
 * What kubelet would choose from for one container.
 *
 * @param available every device it regards as free, {@code mustInclude} too
 * @param mustInclude taken already, from an init container of the same pod
 * @param size how many in all
 */
public record Offer(List<String> available, List<String> mustInclude, int size) {
    public Offer {
        available = List.copyOf(available);
        mustInclude = List.copyOf(mustInclude);
    }
}
