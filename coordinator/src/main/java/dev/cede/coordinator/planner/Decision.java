package dev.cede.coordinator.planner;

import java.util.List;

/** What becomes of a workload. */
public sealed interface Decision {
    /**
     * All of it has a place.
     *
     * @param victims empty when it fits as things are, or once leaving pods are gone
     * @param note anything an operator should know of how it was found, such as an inexact search;
     *     else empty
     */
    record Place(List<Placement> placements, List<Victim> victims, String note)
            implements Decision {}

    /**
     * Nothing is done.
     *
     * @param reason one sentence, as event and condition
     * @param lasting no eviction, no leaving pod and no event on today's nodes can help (A11)
     * @param refusals each refused node or card
     */
    record NoRoom(String reason, boolean lasting, List<Refusal> refusals) implements Decision {}

    /** Why a node, or one of its cards, does not take the pod; {@code card} is empty for the node. */
    record Refusal(String node, String card, String reason) {}
}
