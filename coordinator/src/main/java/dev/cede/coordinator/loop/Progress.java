package dev.cede.coordinator.loop;

import dev.cede.model.PodRef;

import java.time.Instant;

/** How far a pod with a place is from being bound: the first thing that is in its way. */
public sealed interface Progress {
    /** A plan that is being saved takes the place (E8). */
    record Contested(String plan) implements Progress {}

    /** Its plan is at an earlier step than {@link Step#BINDING}, or is ending. */
    record PlanFirst() implements Progress {}

    /** Of its group fewer than it starts with may start now (E1). */
    record GroupFirst() implements Progress {}

    /** The node would not serve it now. */
    record NodeClosed(String why) implements Progress {}

    /** The agent does not have it on disk in this term. */
    record NotReserved() implements Progress {}

    /** What it stands behind is not measured free (E9). */
    record RoomNotFree() implements Progress {}

    /** A pod that asks alike of another card of the node is bound before. */
    record AfterAlike(PodRef other) implements Progress {}

    /** After a Binding that failed (E12). */
    record HeldBack(Instant until) implements Progress {}

    record MayBind() implements Progress {}

    /** The Binding has not been answered. */
    record BindingSent() implements Progress {}

    /** The Binding failed or its answer was lost: the pod is being read. */
    record BindingUnknown() implements Progress {}

    /** Kubelet has not given all of its shares out. */
    record Bound() implements Progress {}
}
