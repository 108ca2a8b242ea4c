package dev.cede.testbed.kubelet.core;

/** How kubelet picks where nothing steers it. */
public enum PickMode {
    /** Any order, drawn from the seed, as real kubelet's walk over a map. */
    RANDOM,
    /** Away from the cards the container already has devices of, and spread over all others. */
    WORST
}
