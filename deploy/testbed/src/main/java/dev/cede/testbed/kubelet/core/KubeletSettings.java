package dev.cede.testbed.kubelet.core;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything that shapes one kubelet's decisions.
 *
 * @param seed same seed and same events: same decisions
 * @param labels the Node's labels, for node selectors
 * @param numaHint NUMA nodes that Topology Manager would allow; empty is its policy "none"
 */
public record KubeletSettings(
        long seed,
        PickMode picks,
        Quirks quirks,
        Timing timing,
        NodeSize size,
        Map<String, String> labels,
        NavigableSet<Long> numaHint) {

    public KubeletSettings {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
        numaHint = Collections.unmodifiableNavigableSet(new TreeSet<>(numaHint));
    }

    public static KubeletSettings of(long seed) {
        return new KubeletSettings(
                seed,
                PickMode.RANDOM,
                Quirks.of136(),
                Timing.real(),
                NodeSize.roomy(),
                new TreeMap<>(),
                new TreeSet<>());
    }

    public KubeletSettings withSeed(long seed) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withPicks(PickMode picks) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withQuirks(Quirks quirks) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withTiming(Timing timing) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withSize(NodeSize size) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withLabels(Map<String, String> labels) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }

    public KubeletSettings withNumaHint(NavigableSet<Long> numaHint) {
        return new KubeletSettings(seed, picks, quirks, timing, size, labels, numaHint);
    }
}
