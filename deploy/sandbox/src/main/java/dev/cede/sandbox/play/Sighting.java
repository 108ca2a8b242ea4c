package dev.cede.sandbox.play;

import java.time.Duration;
import java.util.SortedMap;

/** Something that happened; {@code at} counts from the start of the sandbox. */
public sealed interface Sighting {
    Duration at();

    record PodSeen(Duration at, PodSight pod) implements Sighting {}

    record PodGone(Duration at, String uid) implements Sighting {}

    /**
     * What an agent says.
     *
     * @param alive processes of each pod that lived when it said so, by UID
     */
    record CardsSeen(Duration at, NodeSight node, SortedMap<String, Integer> alive)
            implements Sighting {}

    /** A Kubernetes event. */
    record EventSeen(Duration at, String reason, String about, String message)
            implements Sighting {}

    /** The last process of a pod has ended. */
    record ProcessesEnded(Duration at, String uid) implements Sighting {}

    /** A process of ours ended, which none should. */
    record PartEnded(Duration at, String what) implements Sighting {}
}
