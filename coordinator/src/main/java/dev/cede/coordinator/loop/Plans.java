package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.Victim;
import dev.cede.model.PodRef;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Drives open plans: save, hold, evict, wait for the measured release, bind (E7). Each step is taken
 * from what agents and pods show now, so a plan that was loaded goes on where it stood.
 */
final class Plans {
    private final LoopState state;
    private final Releases releases;
    private final Fences fences;
    private final Evictions evictions;
    private final PlanBook book;
    private final HandOvers handOvers;
    private final Successors successors;

    Plans(
            LoopState state,
            Releases releases,
            Fences fences,
            Evictions evictions,
            HandOvers handOvers) {
        this.state = state;
        this.releases = releases;
        this.fences = fences;
        this.evictions = evictions;
        this.book = new PlanBook(state);
        this.handOvers = handOvers;
        this.successors = new Successors(state, book);
    }

    /** A decision that has to be saved before anything happens. */
    void open(String workload, List<Placement> placements, List<Victim> victims) {
        SavedPlan plan = book.draft(workload, placements, victims);
        book.begin(plan, List.of(), Step.PLANNED);
        state.out.add(new Effect.SavePlan(plan));
    }

    /** Takes places of others, whose effects stand still until the answer (E8). */
    void take(String workload, TakeOver.Taken taken) {
        SavedPlan plan = book.draft(workload, taken.place().placements(), List.of());
        List<String> closes = taken.losers().stream()
                .map(Claim::plan)
                .filter(id -> !id.isEmpty())
                .distinct()
                .toList();
        taken.losers().forEach(claim -> claim.contested(plan.id()));
        book.begin(plan, closes, Step.PLANNED);
        state.out.add(
                closes.isEmpty()
                        ? new Effect.SavePlan(plan)
                        : new Effect.ReplacePlan(
                                closes, "taken over by " + PlanBook.places(plan), plan));
    }

    /** A plan of an earlier term, as saved (E13). */
    void resume(SavedPlan plan) {
        book.begin(plan, List.of(), Step.SAVED);
        plan.placements().forEach(place -> fences.open(place.pod()));
        plan.victims().forEach(victim -> fences.open(victim.pod()));
        state.log("plan=" + plan.id() + " step=resumed");
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
            book.dropClaims(plan);
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
        note(plan);
        Optional<String> broken = broken(plan);
        if (broken.isPresent()) {
            abandon(plan, broken.get());
        } else if (plan.step() == Step.ABANDONING) {
            giveUp(plan);
        } else if (plan.step() == Step.ROLLING_BACK) {
            rollBack(plan);
        } else {
            switch (handOvers.of(plan)) {
                case HandOver.None none -> goOn(plan);
                case HandOver.Awaited awaited -> {}
                case HandOver.Found found -> replace(plan, found.reason(), found.successor());
                case HandOver.Ended ended -> giveUpPlace(plan, ended);
            }
        }
    }

    private Optional<String> broken(OpenPlan plan) {
        return plan.isEnding()
                ? Optional.empty()
                : lostMember(plan).or(() -> lostGroup(plan)).or(() -> lostNode(plan));
    }

    /** What a group starts with has lost its place, and this plan, for one beyond, is early (E1). */
    private Optional<String> lostGroup(OpenPlan plan) {
        boolean early = plan.plan().placements().stream()
                .map(Placement::pod)
                .flatMap(pod -> state.cluster.pod(pod.uid()).stream())
                .anyMatch(pod -> !pod.bound() && !Workloads.enough(state, pod));
        return early && !handOvers.mayBeAwaited(plan.plan().workload())
                ? Optional.of("its group is below its minMember")
                : Optional.empty();
    }

    private void goOn(OpenPlan plan) {
        switch (plan.step()) {
            case SAVED -> hold(plan);
            case EVICTING -> evict(plan);
            case RELEASING -> awaitRelease(plan);
            case BINDING -> awaitStart(plan);
            case PLANNED, ABANDONING, ROLLING_BACK -> throw new IllegalStateException(plan.id());
        }
    }

    private void note(OpenPlan plan) {
        for (Placement placement : plan.plan().placements()) {
            state.cluster
                    .pod(placement.pod().uid())
                    .filter(PodFacts::bound)
                    .ifPresent(plan::memberBound);
        }
    }

    /** Nobody took the place of a member that was lost in time (E14). */
    private void giveUpPlace(OpenPlan plan, HandOver.Ended ended) {
        if (plan.step() != Step.BINDING) {
            abandon(plan, ended.reason());
            return;
        }
        state.claims.remove(ended.pod().uid());
        plan.gaveUp(ended.pod().uid());
        state.world++;
        state.log("plan=" + plan.id() + " place=given-up why=\"" + ended.reason() + "\"");
        if (ended.groupIsShort()) {
            move(plan, Step.ROLLING_BACK);
        } else {
            advance(plan);
        }
    }

    /** A group that cannot have its minimum any more gives back what this plan started of it. */
    private void rollBack(OpenPlan plan) {
        if (evictions.rollBack(plan)) {
            String reason = "rolled back: the group is below its minMember";
            state.out.add(new Effect.ClosePlan(plan.id(), reason));
            book.end(plan, reason);
        }
    }

    /** A member that is gone before it was bound, and that nothing replaces, ends the plan. */
    private Optional<String> lostMember(OpenPlan plan) {
        return plan.plan().placements().stream()
                .filter(place -> !handOvers.mayBeReplaced(place))
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
            if (!book.isBound(placement.pod()) && !placement.behind().isEmpty()) {
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
        boolean done = plan.plan().placements().stream()
                .map(Placement::pod)
                .allMatch(pod -> plan.isGivenUp(pod.uid()) || over(pod));
        if (done && !plan.evictionUnderWay()) {
            state.out.add(new Effect.ClosePlan(plan.id(), "done"));
            book.end(plan, "done");
        }
    }

    /** Started, or ended without starting. */
    private boolean over(PodRef pod) {
        return state.cluster
                .pod(pod.uid())
                .map(seen -> seen.phase() == PodPhase.RUNNING || seen.finished())
                .orElseGet(() -> releases.gone(pod));
    }

    private void abandon(OpenPlan plan, String reason) {
        plan.abandon(reason);
        state.log("plan=" + plan.id() + " step=" + plan.step() + " why=\"" + reason + "\"");
        giveUp(plan);
    }

    /** Nothing sent for it may arrive when it is no longer open. */
    private boolean nothingArrives(OpenPlan plan) {
        boolean settled = !plan.evictionUnderWay();
        for (Placement placement : plan.plan().placements()) {
            settled &= fences.keepBindingsOut(placement.pod());
        }
        for (PlannedVictim victim : plan.plan().victims()) {
            settled &= plan.isEvicted(victim.pod().uid()) || fences.keepDeletesOut(victim.pod());
        }
        return settled;
    }

    /** The old plan is closed and, if there is one, its successor saved, in one step (E13). */
    private void giveUp(OpenPlan plan) {
        if (!nothingArrives(plan)) {
            return;
        }
        String reason = plan.abandonedFor();
        book.end(plan, reason);
        // A Binding that is on its way keeps its place: what becomes of it is not known.
        List<PodRef> unbound = plan.plan().placements().stream()
                .map(Placement::pod)
                .filter(pod -> !state.claims.containsKey(pod.uid()))
                .filter(pod ->
                        state.cluster.pod(pod.uid()).filter(p -> !p.bound()).isPresent())
                .toList();
        Optional<SavedPlan> successor =
                plan.hasEvicted() ? successors.find(plan.plan(), unbound) : Optional.empty();
        if (successor.isPresent()) {
            book.begin(successor.get(), List.of(plan.id()), Step.PLANNED);
            state.out.add(new Effect.ReplacePlan(List.of(plan.id()), reason, successor.get()));
        } else {
            state.out.add(new Effect.ClosePlan(plan.id(), reason));
            unbound.forEach(pod -> state.out.add(new Effect.Nominate(pod, "")));
        }
    }

    /** Another pod takes the place of a member (E14). */
    private void replace(OpenPlan plan, String reason, SavedPlan successor) {
        book.end(plan, reason);
        state.claimsOf(plan).stream()
                .map(Claim::pod)
                .filter(pod -> successor.placements().stream()
                        .noneMatch(place -> place.pod().equals(pod)))
                .forEach(pod -> state.claims.remove(pod.uid()));
        book.begin(successor, List.of(plan.id()), Step.PLANNED);
        state.out.add(new Effect.ReplacePlan(List.of(plan.id()), reason, successor));
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

    private void move(OpenPlan plan, Step next) {
        plan.step(next);
        state.log("plan=" + plan.id() + " step=" + next);
    }
}
