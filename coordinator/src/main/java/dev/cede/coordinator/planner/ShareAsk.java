package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Amount;

import java.util.List;

/**
 * What a pod asks of GPUs, judged by A1–A10.
 *
 * @param containers those with shares, in spec order; empty for a pod without shares
 */
public record ShareAsk(List<ContainerAsk> containers) {
    /** One container's ask of one card. */
    public record ContainerAsk(String container, Amount amount) {}

    /** The ask, or why it is refused. */
    public sealed interface Judged {}

    /** A valid ask. */
    public record Valid(ShareAsk ask) implements Judged {}

    /** One sentence that names the field, its value and what would be accepted (A12). */
    public record Invalid(String sentence) implements Judged {}

    /** Judges a pod's ask. */
    public static Judged of(PodFacts pod, int coreStep) {
        return new Invalid("nothing is judged yet: " + pod.ref() + coreStep);
    }
}
