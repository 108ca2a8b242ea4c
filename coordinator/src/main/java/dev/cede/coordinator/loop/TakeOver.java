package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision;
import dev.cede.coordinator.planner.NodeView;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.Planner;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Epoch;
import dev.cede.model.Reservation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * A strictly higher priority may take room that is held for a lower one, or what the hold turned
 * into, until the loser's first Binding is sent (E8). Nobody is evicted for it.
 */
final class TakeOver {
    /** The places taken, and who loses his. */
    record Taken(Decision.Place place, List<Claim> losers) {}

    private final LoopState state;

    TakeOver(LoopState state) {
        this.state = state;
    }

    Optional<Taken> find(List<PodFacts> pods) {
        Set<String> weaker = weaker(pods);
        boolean may =
                state.planner.preemption() && pods.stream().noneMatch(PodFacts::neverPreempts);
        if (!may || weaker.isEmpty()) {
            return Optional.empty();
        }
        SortedMap<String, NodeView> views = Views.allWithout(state, weaker);
        Decision decision =
                Planner.decide(new Planner.Question(pods, views, state.planner, false, state.now));
        return decision instanceof Decision.Place place
                ? Optional.of(new Taken(place, losers(place, views, weaker)))
                        .filter(taken -> !taken.losers().isEmpty())
                : Optional.empty();
    }

    /** Of other workloads: a group that takes from itself falls below its minimum (E1). */
    private Set<String> weaker(List<PodFacts> pods) {
        int priority = pods.stream().mapToInt(PodFacts::priority).min().orElseThrow();
        String own = Workloads.key(state, pods.getFirst().ref());
        Set<String> uids = new TreeSet<>();
        for (Claim claim : state.claims.values()) {
            if (!Workloads.key(state, claim.pod()).equals(own) && mayLose(claim, priority)) {
                uids.add(claim.pod().uid());
            }
        }
        return uids;
    }

    private boolean mayLose(Claim claim, int priority) {
        OpenPlan plan = state.plans.get(claim.plan());
        List<Claim> together = plan == null ? List.of(claim) : state.claimsOf(plan);
        boolean begun =
                together.stream().anyMatch(other -> other.inFlight() || other.isContested());
        boolean busy = plan != null && (plan.step() == Step.PLANNED || plan.evictionUnderWay());
        return !claim.withoutShares()
                && !begun
                && !busy
                && together.stream().allMatch(other -> priority(other) < priority);
    }

    private int priority(Claim claim) {
        return state.cluster
                .pod(claim.pod().uid())
                .map(PodFacts::priority)
                .orElse(Integer.MAX_VALUE);
    }

    /** Those whose room is needed, with all that were planned together with them. */
    private List<Claim> losers(
            Decision.Place place, SortedMap<String, NodeView> views, Set<String> weaker) {
        Map<String, NodeLedger> ledgers = new HashMap<>();
        for (Placement placement : place.placements()) {
            ledgers.merge(
                    placement.node(),
                    views.get(placement.node()).ledger().with(reservation(placement)),
                    (before, fresh) -> before.with(reservation(placement)));
        }
        Set<String> losers = new TreeSet<>();
        for (Claim claim : strongestFirst(weaker)) {
            NodeLedger ledger = ledgers.get(claim.node());
            if (ledger == null) {
                continue;
            }
            if (inTheWay(claim, place, ledger)) {
                losers.addAll(together(claim));
            } else {
                ledgers.put(claim.node(), ledger.with(claim.reservation()));
            }
        }
        return losers.stream().map(uid -> state.claims.get(uid)).toList();
    }

    private static Reservation reservation(Placement placement) {
        return new Reservation(
                placement.pod(), placement.shares(), placement.behind(), Epoch.NONE, "");
    }

    /** Two sets of shares that overlap cannot both be waited for (B6). */
    private static boolean inTheWay(Claim claim, Decision.Place place, NodeLedger ledger) {
        boolean sameShares = place.placements().stream()
                .anyMatch(placement -> !Collections.disjoint(
                        placement.behind(), claim.reservation().behind()));
        return sameShares || ledger.refusal(claim.reservation()).isPresent();
    }

    private List<String> together(Claim claim) {
        OpenPlan plan = state.plans.get(claim.plan());
        List<Claim> together = plan == null ? List.of(claim) : state.claimsOf(plan);
        return together.stream().map(each -> each.pod().uid()).toList();
    }

    private List<Claim> strongestFirst(Set<String> weaker) {
        List<Claim> claims = new ArrayList<>(
                weaker.stream().map(uid -> state.claims.get(uid)).toList());
        claims.sort(Comparator.comparingInt(this::priority).reversed().thenComparing(Claim::pod));
        return claims;
    }
}
