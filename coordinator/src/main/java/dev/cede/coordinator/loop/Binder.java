package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Claim.Binding;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Binds pods whose room is theirs, measured free and acknowledged. */
final class Binder {
    /** Annotation for people: container, card and amount of each share; never read back (B12). */
    static final String CARDS_ANNOTATION = "cede.dev/cards";

    static final String PLAN_ANNOTATION = "cede.dev/plan";

    private final LoopState state;
    private final Releases releases;
    private final Fences fences;

    Binder(LoopState state, Releases releases, Fences fences) {
        this.state = state;
        this.releases = releases;
        this.fences = fences;
    }

    void step() {
        for (Claim claim : state.claims.values()) {
            state.cluster.pod(claim.pod().uid()).ifPresent(pod -> step(claim, pod));
        }
    }

    private void step(Claim claim, PodFacts pod) {
        if (pod.bound()) {
            claim.binding(Binding.BOUND);
            return;
        }
        switch (progress(claim)) {
            case Progress.MayBind may -> bind(claim, pod);
            case Progress.HeldBack held -> state.out.wakeAt(held.until());
            // A read that failed is made again.
            case Progress.BindingUnknown unknown -> releases.read(claim.pod());
            default -> {}
        }
    }

    /** How far a claim is: what is bound by, and what is shown. */
    Progress progress(Claim claim) {
        return switch (claim.binding()) {
            case NONE -> obstacle(claim).orElseGet(Progress.MayBind::new);
            case SENT -> new Progress.BindingSent();
            case UNKNOWN -> new Progress.BindingUnknown();
            case BOUND -> new Progress.Bound();
        };
    }

    private Optional<Progress> obstacle(Claim claim) {
        return planForbids(claim)
                .or(() -> groupIsShort(claim))
                .or(() -> roomIsNot(claim))
                .or(() -> heldBack(claim));
    }

    private Optional<Progress> planForbids(Claim claim) {
        if (claim.isContested()) {
            return Optional.of(new Progress.Contested(claim.contestedBy()));
        }
        OpenPlan plan = state.plans.get(claim.plan());
        return claim.sendable() && (plan == null || plan.step() == Step.BINDING)
                ? Optional.empty()
                : Optional.of(new Progress.PlanFirst());
    }

    /** What has a plan of its own waits for those that its group starts with, too (E1). */
    private Optional<Progress> groupIsShort(Claim claim) {
        return state.cluster
                .pod(claim.pod().uid())
                .filter(pod -> !Workloads.mayStart(state, pod))
                .map(pod -> new Progress.GroupFirst());
    }

    /** Empty when E9 is fulfilled for all that it waited for, and the agent would serve it now. */
    private Optional<Progress> roomIsNot(Claim claim) {
        if (claim.withoutShares()) {
            return Optional.empty();
        }
        Optional<String> closed = Views.agentClosed(state, claim.node());
        if (closed.isPresent()) {
            return closed.map(Progress.NodeClosed::new);
        }
        if (!claim.acknowledged()) {
            return Optional.of(new Progress.NotReserved());
        }
        return measuredFree(state, claim)
                ? before(claim).map(other -> new Progress.AfterAlike(other.pod()))
                : Optional.of(new Progress.RoomNotFree());
    }

    private Optional<Progress> heldBack(Claim claim) {
        return Optional.of(state.backoff.until(key(claim.pod())))
                .filter(until -> until.isAfter(state.now))
                .map(Progress.HeldBack::new);
    }

    /** Whether what the claim stands behind is gone, as its agent says. */
    static boolean measuredFree(LoopState state, Claim claim) {
        return claim.withoutShares()
                || state.reserved(claim.node(), claim.pod().uid())
                        .filter(reservation -> !reservation.isHold())
                        .isPresent()
                || state.hasShares(claim.node(), claim.pod().uid());
    }

    /**
     * Kubelet's calls name no pod, and an agent takes each to be for the oldest reservation that
     * asks so. So of two on a node that ask alike on different cards the older is bound first, and
     * the other when the first one's devices are in the books.
     */
    private Optional<Reservation> before(Claim claim) {
        Stream<Reservation> inFlight = state.claimsOn(claim.node()).stream()
                .filter(other -> other != claim && other.inFlight())
                .map(Claim::reservation);
        return Stream.concat(inFlight, older(claim).stream())
                .filter(other -> alikeElsewhere(claim.reservation(), other))
                .findFirst();
    }

    /** What the agent expects kubelet to ask for before. */
    private List<Reservation> older(Claim claim) {
        return state.report(claim.node()).stream()
                .flatMap(report -> report.reservations().stream())
                .takeWhile(held -> !held.pod().equals(claim.pod()))
                .filter(held -> !held.isHold())
                .toList();
    }

    private static boolean alikeElsewhere(Reservation a, Reservation b) {
        return a.byContainer().values().stream()
                .anyMatch(mine -> b.byContainer().values().stream()
                        .anyMatch(theirs ->
                                sameCall(mine, theirs) && !mine.keySet().equals(theirs.keySet())));
    }

    /** A call names the devices of all of a container's cards together. */
    private static boolean sameCall(
            SortedMap<CardId, Amount> mine, SortedMap<CardId, Amount> theirs) {
        int core = total(mine, Amount::core);
        return total(mine, Amount::units) == total(theirs, Amount::units)
                || (core > 0 && core == total(theirs, Amount::core));
    }

    private static int total(SortedMap<CardId, Amount> parts, ToIntFunction<Amount> of) {
        return parts.values().stream().mapToInt(of).sum();
    }

    private void bind(Claim claim, PodFacts pod) {
        claim.binding(Binding.SENT);
        state.out.add(new Effect.Bind(pod, claim.node(), annotations(claim)));
        state.log("bind=sent pod=" + pod.ref().namespacedName() + " node=" + claim.node()
                + (claim.plan().isEmpty() ? "" : " plan=" + claim.plan()));
    }

    private static Map<String, String> annotations(Claim claim) {
        Map<String, String> annotations = new TreeMap<>();
        if (!claim.withoutShares()) {
            annotations.put(CARDS_ANNOTATION, cards(claim.reservation().shares()));
        }
        if (!claim.plan().isEmpty()) {
            annotations.put(PLAN_ANNOTATION, claim.plan());
        }
        return annotations;
    }

    private static String cards(List<Share> shares) {
        return shares.stream()
                .map(share -> share.container() + "=" + share.card() + ":" + share.amount())
                .collect(Collectors.joining(";"));
    }

    void onBound(PodRef pod) {
        state.backoff.succeeded(key(pod));
        Optional.ofNullable(state.claims.get(pod.uid()))
                .ifPresent(claim -> claim.binding(Binding.BOUND));
    }

    /**
     * Whatever failed, the object is read before anything else: the call may have succeeded. A first
     * conflict is mostly with a condition that was written just before.
     */
    void onFailed(PodRef pod, ApiFailure failure) {
        if (failure.conflict()) {
            state.backoff.outdated(key(pod), state.now);
        } else {
            state.backoff.failed(key(pod), state.now);
        }
        state.log("bind=failed pod=" + pod.namespacedName() + " status=" + failure.status()
                + " why=\"" + failure.message() + "\"");
        if (failure.mayArrive()) {
            fences.open(pod);
        }
        Optional.ofNullable(state.claims.get(pod.uid()))
                .ifPresent(claim -> claim.binding(Binding.UNKNOWN));
    }

    /** A read that found the pod without a node: it may be bound again. */
    void onRead(PodRef pod) {
        Claim claim = state.claims.get(pod.uid());
        if (claim != null
                && claim.binding() == Binding.UNKNOWN
                && state.cluster.pod(pod.uid()).filter(found -> !found.bound()).isPresent()) {
            claim.binding(Binding.NONE);
        }
    }

    private static String key(PodRef pod) {
        return "bind/" + pod.uid();
    }
}
