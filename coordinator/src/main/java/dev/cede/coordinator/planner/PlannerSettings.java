package dev.cede.coordinator.planner;

import java.time.Duration;

/**
 * What an operator may set about planning; the defaults are in {@link #DEFAULTS}.
 *
 * @param preemption {@code enable_preemption}
 * @param topologyAware {@code enable_topology_aware_preemption} (D1, D2)
 * @param coreStep percent steps of the core resource (A3)
 * @param maxSharesPerCard (B3)
 * @param cardSpread {@code card_policy: spread}, else binpack (B10)
 * @param nodeSpread {@code node_policy: spread}, else binpack (B10)
 * @param allowMixedNodes {@code mixed_nodes: allow}: cards that a pod holds whole do not close the
 *     others of their node (B12)
 * @param waitForRelease longest remaining grace that a plan without victims waits for (C5)
 */
public record PlannerSettings(
        boolean preemption,
        boolean topologyAware,
        int coreStep,
        int maxSharesPerCard,
        boolean cardSpread,
        boolean nodeSpread,
        boolean allowMixedNodes,
        Duration waitForRelease) {
    public static final PlannerSettings DEFAULTS =
            new PlannerSettings(true, false, 5, 20, false, false, false, Duration.ofSeconds(60));

    PlannerSettings withTopologyAware(boolean on) {
        return new PlannerSettings(
                preemption,
                on,
                coreStep,
                maxSharesPerCard,
                cardSpread,
                nodeSpread,
                allowMixedNodes,
                waitForRelease);
    }
}
