package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.ContainerFacts.Kind;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.NodeView.PodOnNode;
import dev.cede.model.Card;

import java.util.Optional;
import java.util.stream.Stream;

/** Pods that hold whole cards of a node through the vendor's own plugin, and what they close (B12). */
final class WholeCards {
    private WholeCards() {}

    /** Devices that a container asks for; what cannot be read is more than any node has. */
    static int asked(ContainerFacts container) {
        String limit = container.wholeCards();
        if (limit.isEmpty()) {
            return 0;
        }
        try {
            return Integer.parseInt(limit);
        } catch (NumberFormatException unreadable) {
            return Integer.MAX_VALUE;
        }
    }

    /** Why no card of the node takes shares, or empty. */
    static Optional<String> closing(NodeView node, PlannerSettings settings) {
        return settings.allowMixedNodes()
                ? holders(node)
                        .filter(pod -> found(node, pod) < asked(pod))
                        .findFirst()
                        .map(pod -> pod.ref().namespacedName()
                                + " holds whole cards there, and it is not known yet which")
                : holders(node)
                        .findFirst()
                        .map(pod -> pod.ref().namespacedName() + " holds whole cards there");
    }

    /** Why one card takes no shares, or empty. Kubelet names dead pods long after their end. */
    static Optional<String> closing(NodeView node, Card card) {
        return holders(node)
                .filter(pod -> card.wholeCardDevices().containsKey(pod.uid()))
                .findFirst()
                .map(pod -> pod.ref().namespacedName() + " holds " + card.shortName() + " whole");
    }

    private static Stream<PodFacts> holders(NodeView node) {
        return node.pods().stream()
                .map(PodOnNode::pod)
                .filter(pod -> !pod.finished())
                .filter(pod -> asked(pod) > 0);
    }

    /** Init containers leave their devices to those that come after them. */
    private static long asked(PodFacts pod) {
        long together = pod.containers().stream()
                .filter(container -> container.kind() != Kind.INIT)
                .mapToLong(WholeCards::asked)
                .sum();
        return pod.containers().stream().mapToLong(WholeCards::asked).reduce(together, Math::max);
    }

    /** Devices of which the agent knows the card. */
    private static long found(NodeView node, PodFacts pod) {
        return node.ledger().cards().values().stream()
                .mapToLong(card -> card.wholeCardDevices().getOrDefault(pod.uid(), 0))
                .sum();
    }
}
