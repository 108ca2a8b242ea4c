package dev.cede.coordinator.planner;

import dev.cede.model.PodRef;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.List;
import java.util.SortedSet;

/**
 * Where one pod goes.
 *
 * @param shares in the order of the pod's containers; empty for a pod without shares
 * @param behind the shares on these cards that have to go first; the same set for all placements of
 *     one plan on one node (B6)
 */
public record Placement(PodRef pod, String node, List<Share> shares, SortedSet<ShareKey> behind) {}
