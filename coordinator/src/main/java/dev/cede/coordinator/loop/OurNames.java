package dev.cede.coordinator.loop;

import java.util.SortedSet;

/**
 * Pods whose {@code schedulerName} is one of these are ours (A7).
 *
 * @param given whether an operator named them, and so vouches that no other scheduler uses them
 */
public record OurNames(SortedSet<String> names, boolean given) {}
