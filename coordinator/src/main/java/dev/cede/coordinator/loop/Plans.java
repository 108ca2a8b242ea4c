package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.OpenPlan.Step;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.Victim;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Drives open plans: save, hold, evict, wait for the measured release, bind (E7). Each step is taken
 * from what agents and pods show now, so a plan that was loaded goes on where it stood.
 */
final class Plans {
    private final LoopState state;
    private final Releases releases;
    private final Evictions evictions;
    private final Successors successors;

    Plans(LoopState state, Releases releases, Evictions evictions) {
        this.state = state;
        this.releases = releases;
        this.evictions = evictions;
        this.successors = new Successors(state);
    }

    /** A decision that has to be saved before anything happens. */
    void open(String workload, List<Placement> placements, List<Victim> victims) {
        SavedPlan plan = draft(state, workload, placements, victims);
        begin(plan, List.of(), Step.PLANNED);
        state.out.add(new Effect.SavePlan(plan));
    }

    /** Takes places of others, whose effects stand still until the answer (E8). */
    void take(String workload, TakeOver.Taken taken) {
        SavedPlan plan = draft(state, workload, taken.place().placements(), List.of());
        List<String> closes = taken.losers().stream()
                .map(Claim::plan)
                .filter(id -> !id.isEmpty())
                .distinct()
                .toList();
        taken.losers().forEach(claim -> claim.contested(plan.id()));
        begin(plan, closes, Step.PLANNED);
        state.out.add(
                closes.isEmpty()
                        ? new Effect.SavePlan(plan)
                        : new Effect.ReplacePlan(closes, "taken over by " + places(plan), plan));
    }

    static SavedPlan draft(
            LoopState state, String workload, List<Placement> placements, List<Victim> victims) {
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

    /** A plan of an earlier term, as saved (E13). */
    void resume(SavedPlan plan) {
        begin(plan, List.of(), Step.SAVED);
        state.log("plan=" + plan.id() + " step=resumed");
    }

    private void begin(SavedPlan plan, List<String> replaces, Step step) {
        state.plans.put(plan.id(), new OpenPlan(plan, replaces, step));
        for (Placement placement : plan.placements()) {
            Reservation reservation = new Reservation(
                    placement.pod(),
                    placement.shares(),
                    placement.behind(),
                    state.epoch,
                    plan.id());
            state.claims.put(
                    placement.pod().uid(),
                    new Claim(placement.node(), reservation, step != Step.PLANNED));
        }
        state.world++;
        state.log("plan=" + plan.id() + " step=" + step + " workload=" + plan.workload()
                + " places=" + places(plan) + " victims=" + victims(plan));
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

    void onSaved(String id) {
        Optional.ofNullable(state.plans.get(id))
                .filter(plan -> plan.step() == Step.PLANNED)
                .ifPresent(plan -> {
                    loseTo(plan);
                    plan.step(Step.SAVED);
                    state.claimsOf(plan).forEach(Claim::maySend);
                });
    }

    private void loseTo(OpenPlan winner) {
        for (String old : winner.replaces()) {
            state.plans.remove(old);
        }
        for (Claim loser : contestedBy(winner.id())) {
            state.claims.remove(loser.pod().uid());
            state.out.add(new Effect.Nominate(loser.pod(), ""));
            state.log("plan=" + winner.id() + " took-from=" + loser.pod().namespacedName());
        }
        state.world++;
    }

    private List<Claim> contestedBy(String plan) {
        return state.claims.values().stream()
                .filter(claim -> claim.isContestedBy(plan))
                .toList();
    }

    void onNotSaved(String id, String reason) {
        Optional.ofNullable(state.plans.remove(id)).ifPresent(plan -> {
            dropClaims(plan);
            contestedBy(id).forEach(claim -> claim.contested(""));
            plan.replaces().stream()
                    .filter(old -> !state.plans.containsKey(old))
                    .forEach(old -> state.out.add(new Effect.ClosePlan(old, reason)));
            state.out.wakeAt(state.backoff.failed(plan.plan().workload(), state.now));
            state.log("plan=" + id + " step=not-saved why=\"" + reason + "\"");
        });
    }

    void step() {
        for (OpenPlan plan : List.copyOf(state.plans.values())) {
            Step before;
            do {
                before = plan.step();
                advance(plan);
            } while (plan.step() != before && state.plans.containsKey(plan.id()));
        }
    }

    private void advance(OpenPlan plan) {
        if (plan.step() == Step.PLANNED
                || state.claimsOf(plan).stream().anyMatch(Claim::isContested)) {
            return;
        }
        noteBound(plan);
        Optional<String> lost = lostMember(plan).or(() -> lostNode(plan));
        if (lost.isPresent()) {
            if (!plan.evictionUnderWay()) {
                abandon(plan, lost.get());
            }
            return;
        }
        switch (plan.step()) {
            case SAVED -> hold(plan);
            case EVICTING -> evict(plan);
            case RELEASING -> awaitRelease(plan);
            case BINDING -> awaitStart(plan);
            case PLANNED -> throw new IllegalStateException(plan.id());
        }
    }

    private void noteBound(OpenPlan plan) {
        plan.plan().placements().stream()
                .map(Placement::pod)
                .filter(pod ->
                        state.cluster.pod(pod.uid()).filter(PodFacts::bound).isPresent())
                .forEach(pod -> plan.memberBound(pod.uid()));
    }

    /** A member that is gone before it was bound ends the plan. */
    private Optional<String> lostMember(OpenPlan plan) {
        return plan.plan().placements().stream()
                .map(Placement::pod)
                .filter(pod -> !plan.isMemberBound(pod.uid()))
                .filter(pod -> releases.gone(pod) || leaving(pod))
                .findFirst()
                .map(pod -> pod.namespacedName() + " was deleted");
    }

    private boolean leaving(PodRef pod) {
        return state.cluster.pod(pod.uid()).filter(PodFacts::terminating).isPresent();
    }

    private void hold(OpenPlan plan) {
        if (!state.claimsOf(plan).stream().allMatch(Claim::acknowledged)) {
            return;
        }
        for (Placement placement : plan.plan().placements()) {
            boolean bound = state.cluster
                    .pod(placement.pod().uid())
                    .filter(PodFacts::bound)
                    .isPresent();
            if (!bound && !placement.behind().isEmpty()) {
                state.out.add(new Effect.Nominate(placement.pod(), placement.node()));
            }
        }
        move(plan, Step.EVICTING);
    }

    private void evict(OpenPlan plan) {
        if (evictions.step(plan)) {
            move(plan, Step.RELEASING);
        }
    }

    private void awaitRelease(OpenPlan plan) {
        Optional<String> late = overdue(plan);
        if (late.isPresent() && !plan.evictionUnderWay()) {
            abandon(plan, late.get());
        } else if (state.claimsOf(plan).stream().allMatch(c -> Binder.measuredFree(state, c))) {
            move(plan, Step.BINDING);
        }
    }

    /** A release past its deadline (E9). */
    private Optional<String> overdue(OpenPlan plan) {
        return state.claimsOf(plan).stream()
                .flatMap(claim -> lateRelease(claim).stream())
                .findFirst();
    }

    /** A node that is gone, or whose agent is away for too long (E13). */
    private Optional<String> lostNode(OpenPlan plan) {
        return state.claimsOf(plan).stream()
                .filter(claim -> !claim.inFlight())
                .flatMap(claim -> nodeLost(claim.node()).stream())
                .findFirst();
    }

    private Optional<String> nodeLost(String node) {
        Duration lost = state.settings.nodeLost();
        Optional<Instant> away = state.agent(node).flatMap(AgentState::awaySince);
        away.ifPresent(since -> state.out.wakeAt(since.plus(lost)));
        boolean agentLost =
                away.filter(since -> !since.plus(lost).isAfter(state.now)).isPresent();
        if (agentLost || state.cluster.node(node).isEmpty()) {
            return Optional.of("node " + node + " is lost");
        }
        return Optional.empty();
    }

    /** While the agent is away nobody measures, and the deadline stands still. */
    private Optional<String> lateRelease(Claim claim) {
        if (state.agent(claim.node()).filter(AgentState::attached).isEmpty()) {
            return Optional.empty();
        }
        return state.reserved(claim.node(), claim.pod().uid()).stream()
                .flatMap(reservation -> reservation.behind().stream())
                .filter(key -> Views.isOverdue(state, key.podUid()))
                .findFirst()
                .map(key -> Waiting.overdue(state, claim.node(), key.podUid()));
    }

    private void awaitStart(OpenPlan plan) {
        boolean done = plan.plan().placements().stream().allMatch(place -> over(place.pod()));
        if (done && !plan.evictionUnderWay()) {
            state.out.add(new Effect.ClosePlan(plan.id(), "done"));
            end(plan, "done");
        }
    }

    /** Started, or ended without starting. */
    private boolean over(PodRef pod) {
        return state.cluster
                .pod(pod.uid())
                .map(seen -> seen.phase() == PodPhase.RUNNING || seen.finished())
                .orElseGet(() -> releases.gone(pod));
    }

    /** The old plan is closed and, if there is one, its successor saved, in one step (E13). */
    private void abandon(OpenPlan plan, String reason) {
        end(plan, reason);
        // A Binding that is on its way keeps its place: what becomes of it is not known.
        List<PodRef> unbound = plan.plan().placements().stream()
                .map(Placement::pod)
                .filter(pod -> !state.claims.containsKey(pod.uid()))
                .filter(pod ->
                        state.cluster.pod(pod.uid()).filter(p -> !p.bound()).isPresent())
                .toList();
        boolean begun = plan.step() == Step.RELEASING || plan.step() == Step.BINDING;
        Optional<SavedPlan> successor =
                begun ? successors.find(plan.plan(), unbound) : Optional.empty();
        if (successor.isPresent()) {
            begin(successor.get(), List.of(plan.id()), Step.PLANNED);
            state.out.add(new Effect.ReplacePlan(List.of(plan.id()), reason, successor.get()));
        } else {
            state.out.add(new Effect.ClosePlan(plan.id(), reason));
            unbound.forEach(pod -> state.out.add(new Effect.Nominate(pod, "")));
        }
    }

    /** An agent would not hold: nobody was evicted yet, so all of it is planned again. */
    void onRefused(Claim claim, String reason) {
        OpenPlan plan = state.plans.get(claim.plan());
        if (plan == null) {
            state.claims.remove(claim.pod().uid());
            state.world++;
        } else {
            abandon(plan, claim.node() + " would not hold: " + reason);
        }
        String key =
                plan == null ? Workloads.key(state, claim.pod()) : plan.plan().workload();
        state.out.wakeAt(state.backoff.failed(key, state.now));
        state.log("hold=refused pod=" + claim.pod().namespacedName() + " node=" + claim.node()
                + " why=\"" + reason + "\"");
    }

    private void end(OpenPlan plan, String reason) {
        state.plans.remove(plan.id());
        dropClaims(plan);
        if (reason.equals("done")) {
            state.backoff.succeeded(plan.plan().workload());
        }
        state.log("plan=" + plan.id() + " step=closed why=\"" + reason + "\"");
    }

    /** Bound members keep their claim until kubelet has given their shares out. */
    private void dropClaims(OpenPlan plan) {
        for (Claim claim : state.claimsOf(plan)) {
            if (!claim.inFlight()) {
                state.claims.remove(claim.pod().uid());
            }
        }
        state.world++;
    }

    private void move(OpenPlan plan, Step next) {
        plan.step(next);
        state.log("plan=" + plan.id() + " step=" + next);
    }
}
