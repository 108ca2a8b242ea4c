package dev.cede.deviceplugin;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a container gets with its devices. Kubelet merges the answers for a container's two
 * resources in random order, so the two forms share no key.
 */
public sealed interface Grant {
    /** Where a container finds its limits, a read-only directory. */
    String LIMITS_IN_CONTAINER = "/var/run/cede";

    /**
     * Memory, and with it all that a container must see of its cards.
     *
     * @param cards UUIDs
     * @param limitDirectory on the host; must outlive the container, for kubelet repeats this
     *     answer at every restart of it
     * @param deviceFiles by path in the container, the path on the host
     */
    record Memory(List<String> cards, Path limitDirectory, SortedMap<String, Path> deviceFiles)
            implements Grant {
        public Memory {
            cards = List.copyOf(cards);
            deviceFiles = Collections.unmodifiableSortedMap(new TreeMap<>(deviceFiles));
        }
    }

    /**
     * Compute.
     *
     * @param percentage of each of its cards
     */
    record Core(int percentage) implements Grant {}
}
