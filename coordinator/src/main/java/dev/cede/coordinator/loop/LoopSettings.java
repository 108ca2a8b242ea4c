package dev.cede.coordinator.loop;

import dev.cede.coordinator.planner.PlannerSettings;

import java.time.Duration;

/**
 * What an operator may set about the loop.
 *
 * @param workloadPolicy which members of a workload start together (E1)
 * @param workloadSettle a workload of unknown size is complete when none was added for so long (E1)
 * @param attachTimeout how long a missing agent is expected back before others are evicted (C5)
 * @param releaseTimeout added to a victim's grace before its release is overdue (E9)
 * @param nodeLost an agent away for longer has lost its plans (E13)
 * @param handOver how long the place of a member that was lost before it started waits for the one
 *     that replaces it (E14)
 * @param backoff first wait after a failed effect, doubling up to {@code backoffMost} (E12)
 */
public record LoopSettings(
        OurNames schedulerNames,
        PlannerSettings planner,
        WorkloadPolicy workloadPolicy,
        Duration workloadSettle,
        Duration attachTimeout,
        Duration releaseTimeout,
        Duration nodeLost,
        Duration handOver,
        Duration backoff,
        Duration backoffMost) {}
