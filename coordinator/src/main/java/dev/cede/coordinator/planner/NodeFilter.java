package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.Taint;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Why a node is out for a pod whatever runs on it; no eviction cures that. */
final class NodeFilter {
    /** What Kubernetes' own scheduler takes an unschedulable node for. */
    private static final Taint UNSCHEDULABLE =
            new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    /** Set by the node controller on a lost node, and gone when it returns. */
    private static final List<String> LOST =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    private NodeFilter() {}

    /** Why nothing of this pod may go there now, or empty. */
    static Optional<String> refusal(NodeView node, Member member, PlannerSettings settings) {
        if (node.closed().isPresent()) {
            return node.closed();
        }
        if (!node.facts().ready()) {
            return Optional.of("it is not ready");
        }
        Optional<String> standing = standing(node, member.pod(), false);
        return standing.isPresent() || member.ask().isEmpty()
                ? standing
                : WholeCards.closing(node, settings);
    }

    /** What would still be in the way if a lost node came back. */
    static Optional<String> refusalOnReturn(NodeView node, PodFacts pod) {
        return standing(node, pod, true);
    }

    private static Optional<String> standing(NodeView node, PodFacts pod, boolean lost) {
        if (node.facts().unschedulable() && !tolerates(pod, UNSCHEDULABLE)) {
            return Optional.of("it is unschedulable");
        }
        Optional<Taint> taint = node.facts().taints().stream()
                .filter(each -> !each.effect().equals("PreferNoSchedule"))
                .filter(each -> !(lost && LOST.contains(each.key())))
                .filter(each -> !tolerates(pod, each))
                .findFirst();
        if (taint.isPresent()) {
            return taint.map(
                    each -> "its taint " + each.key() + ":" + each.effect() + " is not tolerated");
        }
        return selects(node, pod);
    }

    /** Whether the pod's node selector lets it go there. */
    static Optional<String> selects(NodeView node, PodFacts pod) {
        for (Map.Entry<String, String> wanted :
                new TreeMap<>(pod.placement().nodeSelector()).entrySet()) {
            String value = node.facts().labels().get(wanted.getKey());
            if (!wanted.getValue().equals(value)) {
                return Optional.of("its label " + wanted.getKey() + " is not " + wanted.getValue());
            }
        }
        return Optional.empty();
    }

    private static boolean tolerates(PodFacts pod, Taint taint) {
        return pod.placement().tolerations().stream()
                .anyMatch(toleration -> toleration.tolerates(taint));
    }
}
