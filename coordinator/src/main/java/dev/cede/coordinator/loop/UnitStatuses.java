package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;

import java.util.HashSet;
import java.util.Set;

/**
 * Nodes whose kubelet writes an entry for each unit into a pod's status, thousands for a big card,
 * and writes them again about every minute (F6). Each is told of once a term.
 */
final class UnitStatuses {
    static final String MESSAGE =
            "Kubelet publishes a status entry for each unit of a card. In its configuration set the"
                    + " feature gates ResourceHealthStatus and ResourceHealthStatusMessage to false;"
                    + " running pods survive that";

    private final LoopState state;
    private final Set<String> found = new HashSet<>();
    private final Set<String> told = new HashSet<>();

    UnitStatuses(LoopState state) {
        this.state = state;
    }

    void forgetTerm() {
        told.clear();
    }

    void seen(PodFacts pod) {
        if (pod.listsUnits()) {
            pod.nodeName().ifPresent(found::add);
        }
    }

    void nodeGone(String node) {
        found.remove(node);
        told.remove(node);
    }

    void step() {
        if (told.size() < found.size()) {
            found.stream()
                    .sorted()
                    .flatMap(node -> state.cluster.node(node).stream())
                    .filter(node -> told.add(node.name()))
                    .forEach(this::tell);
        }
    }

    private void tell(NodeFacts node) {
        state.out.add(
                new Effect.AnnounceNode(node.name(), node.uid(), "StatusEntryPerUnit", MESSAGE));
        state.log("status-entry-per-unit node=" + node.name());
    }
}
