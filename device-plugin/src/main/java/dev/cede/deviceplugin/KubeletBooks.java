package dev.cede.deviceplugin;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What kubelet's checkpoint says about a node's cards.
 *
 * @param entries of our resources
 * @param wholeCards IDs of the devices that the vendor's own plugin gave out, by pod UID (B12)
 */
public record KubeletBooks(
        List<KubeletEntry> entries, SortedMap<String, SortedSet<String>> wholeCards) {
    public static final KubeletBooks EMPTY = new KubeletBooks(List.of(), new TreeMap<>());

    public KubeletBooks {
        entries = List.copyOf(entries);
        wholeCards = Collections.unmodifiableSortedMap(new TreeMap<>(wholeCards));
    }
}
