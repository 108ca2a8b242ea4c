package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision;
import dev.cede.coordinator.planner.Planner;
import dev.cede.model.PodRef;

import java.util.List;
import java.util.Optional;

/** Finds another way for the members of a plan that cannot be finished (E13). */
final class Successors {
    private final LoopState state;
    private final PlanBook book;

    Successors(LoopState state, PlanBook book) {
        this.state = state;
        this.book = book;
    }

    /** The old plan's holds must already be out of the books. */
    Optional<SavedPlan> find(SavedPlan old, List<PodRef> unbound) {
        List<PodFacts> members = unbound.stream()
                .flatMap(pod -> state.cluster.pod(pod.uid()).stream())
                .filter(pod -> !pod.terminating())
                .toList();
        if (members.isEmpty() || !Workloads.enough(state, members)) {
            return Optional.empty();
        }
        Decision decision = Planner.decide(new Planner.Question(
                members, Views.all(state), state.planner, state.planner.preemption(), state.now));
        return decision instanceof Decision.Place place
                ? Optional.of(book.draft(old.workload(), place.placements(), place.victims()))
                : Optional.empty();
    }
}
