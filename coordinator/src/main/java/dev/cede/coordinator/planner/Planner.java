package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** Finds places, and if need be victims, for the pods of a workload. */
public final class Planner {
    private Planner() {}

    /**
     * Decides for pods that are placed together or not at all, in their order.
     */
    public static Decision decide(Question question) {
        return new Decision.NoRoom("nothing is planned yet: " + question, false, List.of());
    }

    /**
     * A question to the planner.
     *
     * @param pods placed together or not at all; all valid by {@link ShareAsk}
     * @param mayEvict false where only free and already leaving room counts (C6)
     */
    public record Question(
            List<PodFacts> pods,
            SortedMap<String, NodeView> nodes,
            PlannerSettings settings,
            boolean mayEvict,
            Instant now) {}
}
