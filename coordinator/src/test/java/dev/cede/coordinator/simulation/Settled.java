package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.Share;

import java.util.ArrayList;
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
        return asks(pod).size() == 1 ? place(pod) : Optional.empty();
    }

    private static List<Amount> asks(PodFacts pod) {
        return pod.containers().stream().map(Checks::amount).toList();
    }

    /** Where a waiting pod of one container would have its place, free or by eviction. */
    private Optional<String> place(PodFacts pod) {
        Amount asks = asks(pod).getFirst();
        boolean alone = waitingOf(pod) == 1;
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
        return Optional.empty();
    }

    private long waitingOf(PodFacts pod) {
        return world.api.allPods().stream()
                .filter(other -> !other.bound() && !other.finished())
                .filter(other -> other.uid().equals(pod.uid())
                        || (pod.owner().isPresent() && other.owner().equals(pod.owner())))
                .count();
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
            boolean whole = victim != null && victim.containers().size() == 1;
            boolean sameType = share.amount().type() == asks.type();
            if (victim == null
                    || victim.priority() >= pod.priority()
                    || !whole
                    || (!sameType && !world.settings.planner().topologyAware())) {
                stay.add(share);
            }
        }
        return !there.isEmpty() && fits(asks, card, stay);
    }
}
