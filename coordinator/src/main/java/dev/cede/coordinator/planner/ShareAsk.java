package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Amount;
import dev.cede.model.IsolationType;

import java.util.Collections;
import java.util.List;

/**
 * What a pod asks of GPUs, judged by A1–A10.
 *
 * @param containers those with shares, in spec order; empty for a pod without shares
 * @param cards of one node, and of each of them what every container asks of a card (A8); with 1
 *     each container is on some card, not all of them on one (A10)
 */
public record ShareAsk(List<ContainerAsk> containers, int cards) {
    public static final ShareAsk NONE = new ShareAsk(List.of(), 1);

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

    /** Whether any container asks for shares, be it rightly or not. */
    public static boolean asks(PodFacts pod) {
        return pod.containers().stream().anyMatch(AskRules::asksShare);
    }

    /** Whether no GPU is asked for at all (A7). */
    public boolean isEmpty() {
        return containers.isEmpty();
    }

    List<Amount> amounts() {
        return containers.stream().map(ContainerAsk::amount).toList();
    }

    /** What has to be found on one card each, which is another card for each only with several. */
    List<Demand> parts() {
        List<Demand> each = amounts().stream().map(Demand::of).toList();
        return cards == 1
                ? each
                : Collections.nCopies(cards, each.stream().reduce(Demand::plus).orElseThrow());
    }

    boolean onOneCardEach() {
        return cards == 1;
    }

    boolean ofOneType() {
        return amounts().stream().map(Amount::type).distinct().count() <= 1;
    }

    boolean asks(IsolationType type) {
        return amounts().stream().anyMatch(amount -> amount.type() == type);
    }
}
