package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.loop.WorkloadPolicy;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.Share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Whether everything that was to happen has happened, judged by own sums. */
final class Settled {
    private static final int MOST_CORE = 100;

    private final World world;

    private Settled(World world) {
        this.world = world;
    }

    /** The first thing that is still open; empty when nothing is. */
    static Optional<String> whyNot(World world) {
        return new Settled(world).whyNot();
    }

    private Optional<String> whyNot() {
        Optional<String> open = openPlan().or(this::absent).or(this::reserved);
        if (open.isPresent()) {
            return open;
        }
        return world.api.allPods().stream()
                .map(this::unsettled)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<String> openPlan() {
        return world.zookeeper.open().stream()
                .findFirst()
                .map((SavedPlan plan) -> "plan " + plan + " is open");
    }

    private Optional<String> absent() {
        return world.sites.stream()
                .filter(site -> site.agent().isEmpty())
                .findFirst()
                .map(site -> "the agent of " + site.name() + " is away");
    }

    private Optional<String> reserved() {
        return world.sites.stream()
                .filter(site -> !ledger(site).reservations().isEmpty())
                .findFirst()
                .map(site ->
                        site.name() + " holds " + ledger(site).reservations().values());
    }

    private static NodeLedger ledger(Site site) {
        return site.agent().orElseThrow().ledger();
    }

    private Optional<String> unsettled(PodFacts pod) {
        if (pod.finished()) {
            return Optional.empty();
        }
        if (pod.terminating()) {
            return Optional.of(pod.ref() + " is terminating");
        }
        if (pod.bound()) {
            return pod.phase() == PodPhase.RUNNING
                    ? Optional.empty()
                    : Optional.of(pod.ref() + " is bound and does not run");
        }
        return place(pod);
    }

    private static Amount asks(PodFacts pod) {
        return Checks.amount(pod.containers().getFirst(), 1);
    }

    /** Where a waiting pod would have its place, free or by eviction. */
    private Optional<String> place(PodFacts pod) {
        List<PodFacts> waiting = waitingWith(pod);
        int together = together(pod, waiting.size());
        if (together > 1) {
            return waiting.size() >= together ? wholeFits(waiting.subList(0, together)) : none();
        }
        return together == 1 && isOneShare(pod) ? place(pod, waiting.size() == 1) : none();
    }

    /** The sums here know only these. */
    private static boolean isOneShare(PodFacts pod) {
        return pod.containers().size() == 1 && Checks.cards(pod) == 1;
    }

    private static Optional<String> none() {
        return Optional.empty();
    }

    /** How many of those that wait start together or not at all; 0 when none does (E1). */
    private int together(PodFacts pod, int waiting) {
        WorkloadPolicy policy = world.settings.workloadPolicy();
        if (pod.group().isPresent()) {
            return world.api.group(pod.group().get()).map(this::together).orElse(0);
        }
        return policy == WorkloadPolicy.STRICT ? waiting : 1;
    }

    private int together(GroupFacts group) {
        long placed = world.api.allPods().stream()
                .filter(pod -> Gangs.isOf(group, pod) && pod.bound())
                .filter(pod -> pod.phase() != PodPhase.FAILED)
                .count();
        return Math.max(1, group.minMember() - (int) placed);
    }

    private List<PodFacts> waitingWith(PodFacts pod) {
        return world.api.allPods().stream()
                .filter(other -> !other.bound() && !other.finished())
                .filter(other -> isTogether(other, pod))
                .sorted(Comparator.comparing(PodFacts::ref))
                .toList();
    }

    /** Whether they are of one workload. */
    private boolean isTogether(PodFacts one, PodFacts other) {
        boolean alone = world.settings.workloadPolicy() == WorkloadPolicy.MIN_AVAILABLE;
        return one.uid().equals(other.uid())
                || (other.group().isPresent() && other.group().equals(one.group()))
                || (!alone && other.owner().isPresent() && other.owner().equals(one.owner()));
    }

    /** Whether each has a place when the first takes the first that fits, and so on. */
    private Optional<String> wholeFits(List<PodFacts> gang) {
        Map<String, List<Share>> taken = new HashMap<>();
        for (PodFacts pod : gang) {
            if (!isOneShare(pod) || !take(pod, taken)) {
                return none();
            }
        }
        return Optional.of(gang.getFirst().ref() + " and its " + (gang.size() - 1)
                + " siblings wait though they fit");
    }

    private boolean take(PodFacts pod, Map<String, List<Share>> taken) {
        Amount asks = asks(pod);
        for (Site site : world.sites) {
            for (Card card : site.driver().cards()) {
                List<Share> there = taken.computeIfAbsent(
                        site.name() + card.id(), key -> new ArrayList<>(on(site, card)));
                if (fits(asks, card, there)) {
                    there.add(new Share(pod.ref(), "gang", card.id(), asks));
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<String> place(PodFacts pod, boolean alone) {
        Amount asks = asks(pod);
        for (Site site : world.sites) {
            for (Card card : site.driver().cards()) {
                if (fits(asks, card, on(site, card))) {
                    return Optional.of(pod.ref() + " waits though it fits on " + site.name() + " "
                            + card.id());
                }
                if (alone && evicts(pod, asks, card, site)) {
                    return Optional.of(pod.ref() + " waits though it may preempt on " + site.name()
                            + " " + card.id());
                }
            }
        }
        return none();
    }

    private static List<Share> on(Site site, Card card) {
        return ledger(site).shares().values().stream()
                .map(booked -> booked.share())
                .filter(share -> share.card().equals(card.id()))
                .toList();
    }

    private static boolean fits(Amount asks, Card card, List<Share> there) {
        int units = asks.units();
        int core = asks.core();
        for (Share share : there) {
            units += share.amount().units();
            core += share.amount().core();
            if (share.amount().type() != asks.type()) {
                return false;
            }
        }
        return units <= card.capacityUnits() && core <= MOST_CORE;
    }

    /** By those alone that every reading of the rules lets it evict. */
    private boolean evicts(PodFacts pod, Amount asks, Card card, Site site) {
        List<Share> there = on(site, card);
        Map<String, PodFacts> pods = new TreeMap<>();
        there.forEach(share ->
                world.api.pod(share.pod().uid()).ifPresent(each -> pods.put(each.uid(), each)));
        List<Share> stay = new ArrayList<>();
        for (Share share : there) {
            PodFacts victim = pods.get(share.pod().uid());
            boolean whole = victim != null && isOneShare(victim);
            boolean sameType = share.amount().type() == asks.type();
            if (victim == null
                    || isTogether(victim, pod)
                    || victim.priority() >= pod.priority()
                    || !whole
                    || (!sameType && !world.settings.planner().topologyAware())) {
                stay.add(share);
            }
        }
        return !there.isEmpty() && fits(asks, card, stay);
    }
}
