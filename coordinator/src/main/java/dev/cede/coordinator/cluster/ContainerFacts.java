package dev.cede.coordinator.cluster;

/**
 * A container's asks for our two resources, whole amounts as plain numbers: judging them is the
 * planner's (A1–A6).
 *
 * @param memory limit of {@code volcano.sh/gpu-mem.128Mi}, empty when not asked
 * @param memoryRequest its request, empty when not given
 * @param core limit of {@code volcano.sh/gpu-core.percentage}, empty when not asked
 * @param coreRequest its request, empty when not given
 * @param wholeCards limit of the vendor plugin's own resource, empty when not asked (B12)
 */
public record ContainerFacts(
        String name,
        Kind kind,
        String memory,
        String memoryRequest,
        String core,
        String coreRequest,
        String wholeCards) {
    /** How kubelet runs it. */
    public enum Kind {
        APP,
        /** An init container that is restarted always, and runs beside the others. */
        SIDECAR,
        INIT
    }
}
