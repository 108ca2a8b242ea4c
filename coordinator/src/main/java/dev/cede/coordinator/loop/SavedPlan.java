package dev.cede.coordinator.loop;

import dev.cede.coordinator.planner.Placement;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A plan as it stands in ZooKeeper: identifiers only (F5), enough for another leader to resume it.
 *
 * @param id unique for ever; also the name of its node in ZooKeeper
 * @param epoch the term that saved it
 * @param workload what it places, by its key
 * @param releaseTimeout what is added to a victim's grace before its release is overdue (E9)
 */
public record SavedPlan(
        String id,
        Epoch epoch,
        String workload,
        List<Placement> placements,
        List<PlannedVictim> victims,
        Instant saved,
        Duration releaseTimeout) {

    /** A victim, by identity; evicted only with this UID. */
    public record PlannedVictim(PodRef pod, String node, int priority, String reason) {}
}
