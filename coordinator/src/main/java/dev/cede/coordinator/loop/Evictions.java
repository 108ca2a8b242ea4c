package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Evicts the victims of a saved plan, and nobody else (E10, E13). */
final class Evictions {
    private final LoopState state;
    private final Fences fences;

    Evictions(LoopState state, Fences fences) {
        this.state = state;
        this.fences = fences;
    }

    /** Evicts who still has to be; true once all are on their way or gone. */
    boolean step(OpenPlan plan) {
        for (PlannedVictim victim : plan.plan().victims()) {
            if (!plan.isEvicted(victim.pod().uid())) {
                evict(plan, victim);
            }
        }
        return plan.plan().victims().stream()
                .allMatch(v -> plan.isEvicted(v.pod().uid()));
    }

    private void evict(OpenPlan plan, PlannedVictim victim) {
        String uid = victim.pod().uid();
        Optional<PodFacts> pod = state.cluster.pod(uid);
        if (pod.isEmpty() || pod.get().terminating() || pod.get().finished()) {
            plan.leaves(uid);
        } else if (plan.mayEvict(uid, state.now)) {
            plan.evictSent(uid);
            fences.open(victim.pod());
            String message = "Preempted by " + PlanBook.places(plan.plan()) + ", plan " + plan.id()
                    + ": " + victim.reason();
            state.out.add(new Effect.Evict(pod.get(), plan.id(), message));
            state.log("plan=" + plan.id() + " evict=" + victim.pod().namespacedName() + " node="
                    + victim.node());
        } else if (plan.evictAgainAt(uid).isAfter(state.now)) {
            state.out.wakeAt(plan.evictAgainAt(uid));
        }
    }

    /** Deletes the members that were bound; true once all are on their way or gone (E14). */
    boolean rollBack(OpenPlan plan) {
        boolean done = true;
        for (Placement placement : plan.plan().placements()) {
            Optional<PodFacts> member =
                    state.cluster.pod(placement.pod().uid()).filter(PodFacts::bound);
            done &= member.isEmpty() || rollBack(plan, member.get());
        }
        return done;
    }

    private boolean rollBack(OpenPlan plan, PodFacts member) {
        String uid = member.uid();
        if (member.terminating() || member.finished() || plan.isEvicted(uid)) {
            return true;
        }
        if (plan.mayEvict(uid, state.now)) {
            plan.evictSent(uid);
            state.out.add(new Effect.RollBack(
                    member,
                    "Its group is below minMember, and another member did not start in time, plan "
                            + plan.id()));
            state.log("plan=" + plan.id() + " roll-back=" + member.ref().namespacedName());
        } else if (plan.evictAgainAt(uid).isAfter(state.now)) {
            state.out.wakeAt(plan.evictAgainAt(uid));
        }
        return false;
    }

    void onEvicted(PodRef victim) {
        plansAgainst(victim).forEach(plan -> plan.evicted(victim.uid()));
    }

    /** Its object is read anew, and the eviction tried again after a back-off. */
    void onFailed(PodRef victim, ApiFailure failure) {
        Instant again = state.backoff.failed("evict/" + victim.uid(), state.now);
        plansAgainst(victim).forEach(plan -> {
            plan.evictFailed(victim.uid(), again);
            state.log("plan=" + plan.id() + " evict=failed victim=" + victim.namespacedName()
                    + " status=" + failure.status() + " why=\"" + failure.message() + "\"");
        });
        state.out.add(new Effect.ReadPod(victim));
    }

    private List<OpenPlan> plansAgainst(PodRef victim) {
        return state.plans.values().stream()
                .filter(plan -> plan.hasVictim(victim.uid()) || plan.hasMember(victim.uid()))
                .toList();
    }
}
