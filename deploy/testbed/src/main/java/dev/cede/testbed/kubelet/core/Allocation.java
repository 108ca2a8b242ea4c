package dev.cede.testbed.kubelet.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Devices on their way to one container: its resources, one after the other. */
final class Allocation {
    final PodSpec pod;
    final ContainerSpec container;
    /** The container ran when kubelet started. */
    final boolean ranAtStart;
    /** A start found devices missing, so this runs beside admission. */
    final boolean atStart;

    final Deque<String> resources;
    boolean freed;
    boolean granted;
    Choice.Open open;
    List<String> picked = List.of();

    Allocation(
            PodSpec pod,
            ContainerSpec container,
            boolean ranAtStart,
            boolean atStart,
            List<String> order) {
        this.pod = pod;
        this.container = container;
        this.ranAtStart = ranAtStart;
        this.atStart = atStart;
        this.resources = new ArrayDeque<>(order);
    }

    /** Where an allocation stands. */
    sealed interface Progress {
        /** For an answer of a plugin. */
        record Waiting() implements Progress {}

        record Done() implements Progress {}

        record Failed(String why) implements Progress {}
    }
}
