package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Amount;
import dev.cede.model.IsolationType;

import java.util.List;

/**
 * What a pod asks of GPUs, judged by A1–A10.
 *
 * @param containers those with shares, in spec order; empty for a pod without shares
 */
public record ShareAsk(List<ContainerAsk> containers) {
    public ShareAsk {
        containers = List.copyOf(containers);
    }

    /** One container's ask of one card. */
    public record ContainerAsk(String container, Amount amount) {}

    /** The ask, or why it is refused. */
    public sealed interface Judged {}

    /** A valid ask. */
    public record Valid(ShareAsk ask) implements Judged {}

    /** One sentence that names the field, its value and what would be accepted (A12). */
    public record Invalid(String sentence) implements Judged {}

    /**
     * Judges a pod's ask, and whether all else in its spec can be honoured.
     *
     * @param coreStep percent steps of the core resource (A3)
     */
    public static Judged of(PodFacts pod, int coreStep) {
        return AskRules.judge(pod, coreStep);
    }

    /** Whether no GPU is asked for at all (A7). */
    public boolean isEmpty() {
        return containers.isEmpty();
    }

    List<Amount> amounts() {
        return containers.stream().map(ContainerAsk::amount).toList();
    }

    boolean ofOneType() {
        return amounts().stream().map(Amount::type).distinct().count() <= 1;
    }

    boolean asks(IsolationType type) {
        return amounts().stream().anyMatch(amount -> amount.type() == type);
    }
}
