package dev.cede.sandbox.scenario;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What is done, and what must be seen of it.
 *
 * @param folder where its manifests lie
 * @param switchOn how {@code enable_topology_aware_preemption} stands at the start, where it says
 * @param nodes how many it is written for, where it says
 * @param cards of each node, where it says
 */
public record Scenario(
        Path folder,
        String title,
        Optional<Boolean> switchOn,
        Optional<Integer> nodes,
        Optional<Integer> cards,
        List<Step> steps) {
    public static final int MOST_NODES = 8;
    public static final int MOST_CARDS = 16;

    public Scenario {
        steps = List.copyOf(steps);
    }
}
