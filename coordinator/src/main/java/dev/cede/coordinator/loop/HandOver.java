package dev.cede.coordinator.loop;

import dev.cede.model.PodRef;

/** What becomes of the place of a member that was lost before it started (E14). */
sealed interface HandOver {
    /** No member was lost. */
    record None() implements HandOver {}

    /** The place is kept for the pod that will replace it. */
    record Awaited() implements HandOver {}

    /** That pod is there. */
    record Found(String reason, SavedPlan successor) implements HandOver {}

    /**
     * None came in time.
     *
     * @param groupIsShort whether it leaves an explicit group below its minimum
     */
    record Ended(PodRef pod, String reason, boolean groupIsShort) implements HandOver {}
}
