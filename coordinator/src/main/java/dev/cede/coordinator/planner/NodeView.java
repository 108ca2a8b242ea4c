package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.ledger.NodeLedger;

import java.util.List;
import java.util.Optional;

/**
 * One node as the planner sees it.
 *
 * @param ledger its books: what the agent reported, with what was decided since; for a node whose
 *     agent is away the last known ones
 * @param pods all pods bound to it, or about to be, that are not finished, of every scheduler; in
 *     the order of namespace and name
 * @param closed why nothing may be placed or evicted there now, or empty
 * @param mayReturn the node was lost so recently, or the term is so young, that its agent is
 *     expected back: plans with victims wait for it if it could take the pod (C5)
 */
public record NodeView(
        NodeFacts facts,
        NodeLedger ledger,
        List<PodOnNode> pods,
        Optional<String> closed,
        boolean mayReturn) {

    public String name() {
        return facts.name();
    }

    /**
     * A pod on the node.
     *
     * @param promised its leaving shares already stand behind some hold, so nobody else may count on
     *     them (C5)
     * @param releaseOverdue it is leaving and past the deadline of E9, so nobody may wait for it
     */
    public record PodOnNode(PodFacts pod, boolean promised, boolean releaseOverdue) {
        /** Terminating or over: its shares are releasing (B8). */
        public boolean leaving() {
            return pod.terminating() || pod.finished();
        }
    }
}
