package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.BookedShare;
import dev.cede.model.PodRef;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A winner that kubelet rejects, or that its controller replaces before it started, leaves its place
 * to the pod that replaces it: the same owner, the same needs (E14).
 */
final class HandOvers {
    private final LoopState state;
    private final Releases releases;

    HandOvers(LoopState state, Releases releases) {
        this.state = state;
        this.releases = releases;
    }

    /** Whether a pod that will not start keeps its place for the one that replaces it. */
    boolean keep(Claim claim) {
        return Optional.ofNullable(state.plans.get(claim.plan()))
                .filter(plan -> !plan.isEnding() && isLost(plan, claim.pod()))
                .flatMap(plan -> plan.plan().placements().stream()
                        .filter(place -> place.pod().equals(claim.pod()))
                        .findFirst())
                .filter(this::mayBeReplaced)
                .isPresent();
    }

    /** Whether another pod may come for it: of its owner, or of its group. */
    boolean mayBeReplaced(Placement place) {
        return !place.shares().isEmpty()
                && facts(place.pod())
                        .filter(pod -> pod.owner().isPresent() || pod.group().isPresent())
                        .isPresent();
    }

    private Optional<PodFacts> facts(PodRef pod) {
        return state.cluster.podOrDeparted(pod.uid());
    }

    /** Whether a plan of the workload has a member that was lost, or that no cache knows. */
    boolean mayBeAwaited(String workload) {
        return state.plans.values().stream()
                .filter(plan -> !plan.isEnding() && plan.plan().workload().equals(workload))
                .anyMatch(plan -> plan.plan().placements().stream()
                        .filter(this::mayBeReplaced)
                        .map(Placement::pod)
                        .filter(pod -> !plan.isGivenUp(pod.uid()))
                        .anyMatch(pod -> isLost(plan, pod)
                                || state.cluster.pod(pod.uid()).isEmpty()));
    }

    /** Each lost place has its time from when it was lost; the first one decided on is next. */
    HandOver of(OpenPlan plan) {
        List<Placement> lost = plan.plan().placements().stream()
                .filter(place -> mayBeReplaced(place) && isLost(plan, place.pod()))
                .toList();
        lost.forEach(place -> noteLoss(plan, place));
        return lost.stream()
                .map(place -> of(plan, place))
                .filter(next -> !(next instanceof HandOver.Awaited))
                .findFirst()
                .orElseGet(() -> lost.isEmpty() ? new HandOver.None() : new HandOver.Awaited());
    }

    private boolean isLost(OpenPlan plan, PodRef pod) {
        return !plan.hasStarted(pod.uid())
                && !plan.isGivenUp(pod.uid())
                && state.cluster
                        .pod(pod.uid())
                        .map(there -> there.terminating() || isRejected(there))
                        .orElseGet(() -> releases.gone(pod));
    }

    /** Kubelet names a reason where it was not a container that failed; so may the next (E12). */
    static boolean isRejected(PodFacts pod) {
        return pod.phase() == PodPhase.FAILED && !pod.statusReason().isEmpty();
    }

    private void noteLoss(OpenPlan plan, Placement place) {
        PodFacts lost = facts(place.pod()).orElseThrow();
        if (plan.isLost(lost.uid(), state.now) && isRejected(lost)) {
            state.backoff.failed(plan.plan().workload(), state.now);
        }
        // Its claim has ended already where kubelet gave all the shares out.
        state.claims.computeIfAbsent(
                lost.uid(),
                uid -> new Claim(place.node(), plan.reservation(place, state.epoch), true));
    }

    private HandOver of(OpenPlan plan, Placement place) {
        PodFacts lost = facts(place.pod()).orElseThrow();
        String workload = plan.plan().workload();
        Instant until = plan.lostSince(lost.uid()).plus(state.settings.handOver());
        if (!until.isAfter(state.now)) {
            return ended(lost);
        }
        state.out.wakeAt(until);
        if (state.backoff.until(workload).isAfter(state.now)) {
            state.out.wakeAt(state.backoff.until(workload));
            return new HandOver.Awaited();
        }
        Optional<PodFacts> next = bindingsAreKnown(plan) ? replacement(lost) : Optional.empty();
        return next.<HandOver>map(pod -> found(plan, place, pod)).orElseGet(HandOver.Awaited::new);
    }

    /** A Binding under way belongs to the plan as it was saved. */
    private boolean bindingsAreKnown(OpenPlan plan) {
        return state.claimsOf(plan).stream()
                .filter(claim -> state.cluster.pod(claim.pod().uid()).isPresent())
                .allMatch(claim -> !claim.inFlight() || claim.binding() == Claim.Binding.BOUND);
    }

    private Optional<PodFacts> replacement(PodFacts lost) {
        return state.cluster.pods().stream()
                .filter(pod -> state.waits(pod) && isAlike(pod, lost))
                .min(Comparator.comparing(PodFacts::created).thenComparing(PodFacts::ref));
    }

    private static boolean isAlike(PodFacts pod, PodFacts lost) {
        return pod.owner().equals(lost.owner())
                && pod.group().equals(lost.group())
                && pod.priority() == lost.priority()
                && pod.containers().equals(lost.containers())
                && pod.labels().equals(lost.labels())
                && pod.requests().equals(lost.requests())
                && pod.placement().equals(lost.placement());
    }

    private HandOver found(OpenPlan plan, Placement place, PodFacts next) {
        List<Placement> placements = plan.plan().placements().stream()
                .map(each -> each.equals(place) ? handedOver(place, next.ref()) : each)
                .toList();
        SavedPlan old = plan.plan();
        SavedPlan successor = new SavedPlan(
                state.nextId("p"),
                state.epoch,
                old.workload(),
                placements,
                old.victims(),
                state.now,
                old.releaseTimeout());
        String reason = next.ref().namespacedName() + " takes the place of "
                + place.pod().namespacedName();
        return new HandOver.Found(reason, successor);
    }

    /** Behind what the lost pod was given and still has, too. */
    private Placement handedOver(Placement place, PodRef next) {
        SortedSet<ShareKey> behind = new TreeSet<>(place.behind());
        state.report(place.node()).stream()
                .flatMap(report -> report.shares().stream())
                .map(BookedShare::share)
                .filter(share -> share.pod().equals(place.pod()))
                .forEach(share -> behind.add(share.key()));
        List<Share> shares = place.shares().stream()
                .map(share -> new Share(next, share.container(), share.card(), share.amount()))
                .toList();
        return new Placement(next, place.node(), shares, behind);
    }

    private HandOver ended(PodFacts lost) {
        String reason =
                lost.ref().namespacedName() + " did not start, and nothing took its place in "
                        + state.settings.handOver().toSeconds() + " s";
        boolean groupIsShort = lost.group()
                .filter(group -> Workloads.missing(state, group) > 0)
                .isPresent();
        return new HandOver.Ended(lost.ref(), reason, groupIsShort);
    }
}
