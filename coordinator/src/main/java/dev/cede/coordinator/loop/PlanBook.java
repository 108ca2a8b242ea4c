package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.Victim;
import dev.cede.model.PodRef;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** How plans begin and end: together with the claims of their members. */
final class PlanBook {
    private final LoopState state;

    PlanBook(LoopState state) {
        this.state = state;
    }

    SavedPlan draft(String workload, List<Placement> placements, List<Victim> victims) {
        List<PlannedVictim> planned = victims.stream()
                .map(victim -> new PlannedVictim(
                        victim.pod().ref(),
                        victim.node(),
                        victim.pod().priority(),
                        victim.reason()))
                .toList();
        return new SavedPlan(
                state.nextId("p"),
                state.epoch,
                workload,
                placements,
                planned,
                state.now,
                state.settings.releaseTimeout());
    }

    /** @param replaces plans that are closed in the transaction that saves this one */
    void begin(SavedPlan plan, List<String> replaces, Step step) {
        OpenPlan open = new OpenPlan(plan, replaces, step);
        state.plans.put(plan.id(), open);
        for (Placement place : plan.placements()) {
            Claim claim = new Claim(
                    place.node(), open.reservation(place, state.epoch), step != Step.PLANNED);
            // A Binding that was answered stays, though no cache shows it yet.
            Optional.ofNullable(state.claims.put(place.pod().uid(), claim))
                    .filter(before -> before.node().equals(place.node()))
                    .ifPresent(before -> claim.binding(before.binding()));
        }
        state.world++;
        state.log("plan=" + plan.id() + " step=" + step + " workload=" + plan.workload()
                + " places=" + places(plan) + " victims=" + victims(plan));
    }

    /** Its end; the claims of members that are not bound end with it. */
    void end(OpenPlan plan, String reason) {
        state.plans.remove(plan.id());
        dropClaims(plan);
        if (reason.equals("done")) {
            state.backoff.succeeded(plan.plan().workload());
        }
        state.log("plan=" + plan.id() + " step=closed why=\"" + reason + "\"");
    }

    /** Bound members keep their claim until kubelet has given their shares out. */
    void dropClaims(OpenPlan plan) {
        for (Claim claim : state.claimsOf(plan)) {
            if (!claim.inFlight() && !isBound(claim.pod())) {
                state.claims.remove(claim.pod().uid());
            }
        }
        state.world++;
    }

    boolean isBound(PodRef pod) {
        return state.cluster.pod(pod.uid()).filter(PodFacts::bound).isPresent();
    }

    static String places(SavedPlan plan) {
        return plan.placements().stream()
                .map(place -> place.pod().namespacedName() + "@" + place.node())
                .collect(Collectors.joining(","));
    }

    private static String victims(SavedPlan plan) {
        return plan.victims().stream()
                .map(victim -> victim.pod().namespacedName())
                .collect(Collectors.joining(","));
    }
}
