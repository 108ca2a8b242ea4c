package dev.cede.sandbox.scenario;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What is done, and what must be seen of it.
 *
 * @param folder where its manifests lie
 * @param switchOn how {@code enable_topology_aware_preemption} stands at the start, where it says
 */
public record Scenario(Path folder, String title, Optional<Boolean> switchOn, List<Step> steps) {
    public Scenario {
        steps = List.copyOf(steps);
    }
}
