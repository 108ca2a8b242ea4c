package dev.cede.coordinator.cluster;

import dev.cede.model.Resources;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A node object as last seen.
 *
 * @param allocatable cpu in milli, all others in their base unit
 * @param listsShares whether its allocatable names our memory resource, with any amount
 */
public record NodeFacts(
        String name,
        String uid,
        boolean unschedulable,
        boolean ready,
        Map<String, String> labels,
        List<Taint> taints,
        Map<String, Long> allocatable,
        boolean listsShares) {
    /**
     * Whether kubelet's status says that there are no devices of one of our resources, as it does
     * for up to ten seconds after its agent came back. Kubelet measures pods against that, too; a
     * resource that its status does not name at all it lets pass.
     */
    public boolean showsNoDevices() {
        return Stream.of(Resources.MEMORY, Resources.CORE)
                .anyMatch(resource -> allocatable.getOrDefault(resource, 1L) == 0);
    }
}
