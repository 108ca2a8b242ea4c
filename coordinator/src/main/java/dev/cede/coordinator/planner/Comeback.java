package dev.cede.coordinator.planner;

import dev.cede.coordinator.planner.Planner.Question;
import dev.cede.coordinator.planner.WorkloadSearch.Found;
import dev.cede.coordinator.planner.WorkloadSearch.Step;

import java.util.List;
import java.util.Optional;

/** Nodes that are expected back: nobody is evicted while one of them could take the pod (C5). */
final class Comeback {
    private Comeback() {}

    /** The first node to wait for rather than carry out this plan, or empty. */
    static Optional<String> expected(Question question, Found plan) {
        boolean evicts =
                plan.nodes().values().stream().anyMatch(node -> !node.victims().isEmpty());
        if (!evicts) {
            return Optional.empty();
        }
        List<Member> evictors = plan.steps().stream()
                .filter(step -> !step.option().victims().isEmpty())
                .map(Step::member)
                .toList();
        Protection protection = new Protection(question.pods());
        return question.nodes().values().stream()
                .filter(view -> view.closed().isPresent() && view.mayReturn())
                .filter(view -> evictors.stream()
                        .anyMatch(member -> couldTake(
                                member, NodeStates.of(view, protection, question.now()), question)))
                .map(NodeView::name)
                .findFirst();
    }

    /** By its last known books; a node that has none yet could take anything. */
    private static boolean couldTake(Member member, NodeState node, Question question) {
        if (NodeFilter.refusalOnReturn(node.view(), member.pod()).isPresent()) {
            return false;
        }
        return node.cards().isEmpty()
                || List.of(Reach.LATE, Reach.EVICT).stream()
                        .map(reach -> new Fit.Scope(reach, Integer.MIN_VALUE, question.settings()))
                        .anyMatch(
                                scope -> !CardSets.options(node, member, scope).isEmpty());
    }
}
