package dev.cede.coordinator.planner;

import dev.cede.coordinator.planner.Decision.NoRoom;
import dev.cede.coordinator.planner.Decision.Refusal;
import dev.cede.coordinator.planner.Resident.Standing;
import dev.cede.coordinator.planner.WorkloadSearch.Stuck;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.Reservation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Says in one sentence why a member found no place, and node by node, card by card in full. No
 * sentence has a running time in it: a reason that is still true stays word for word the same.
 */
final class Reasons {
    private static final int NODES_NAMED = 3;
    private static final int PODS_NAMED = 3;
    private static final String SWITCH = "enable_topology_aware_preemption";

    private final Stuck stuck;
    private final Member member;
    private final int members;
    private final PlannerSettings settings;
    private final Demand largest;

    Reasons(Stuck stuck, int members, PlannerSettings settings) {
        this.stuck = stuck;
        this.member = stuck.member();
        this.members = members;
        this.settings = settings;
        this.largest = member.parts().stream()
                .max(Comparator.comparingInt((Demand part) -> part.load().units())
                        .thenComparingInt(part -> part.load().core()))
                .orElse(Demand.of(Amount.NONE));
    }

    /** A place by eviction exists, but a node is expected back that could take the pod (C5). */
    NoRoom waitingForNode(String node) {
        return new NoRoom(
                head() + "; nobody is evicted while " + node
                        + ", which could take it, is expected back",
                false,
                refusals());
    }

    NoRoom noRoom(boolean switchWouldHelp) {
        List<Refusal> refusals = refusals();
        List<String> parts = new ArrayList<>();
        parts.add(head());
        parts.addAll(perNode(refusals));
        if (stuck.stopped()) {
            parts.add("not found within " + WorkloadSearch.MAX_STEPS + " steps");
        }
        member.whyNoEviction()
                .filter(why -> !member.ask().isEmpty())
                .ifPresent(why -> parts.add("nobody is evicted: " + why));
        switchHint(switchWouldHelp).ifPresent(parts::add);
        return new NoRoom(String.join("; ", parts), false, refusals);
    }

    private String head() {
        String head = Words.prefix(member, members) + "finds no room for " + Words.ask(member)
                + " on " + Words.count(stuck.nodes().size(), "node");
        Optional<Integer> hole = open().map(NodeState::largestHole).max(Integer::compare);
        return member.ask().isEmpty() || hole.isEmpty()
                ? head
                : head + " (largest hole " + Words.count(hole.get(), "unit") + ")";
    }

    private Stream<NodeState> open() {
        return stuck.nodes().values().stream()
                .filter(node ->
                        NodeFilter.refusal(node.view(), member, settings).isEmpty());
    }

    private static List<String> perNode(List<Refusal> refusals) {
        List<String> texts = refusals.stream()
                .map(refusal -> refusal.node() + ": " + refusal.reason())
                .toList();
        return texts.isEmpty() ? List.of() : List.of(Words.some(texts, NODES_NAMED, "; "));
    }

    private Optional<String> switchHint(boolean wouldHelp) {
        if (wouldHelp) {
            return Optional.of("the switch " + SWITCH + " would allow it");
        }
        boolean severalCards = !settings.topologyAware()
                && member.mayEvict()
                && !(member.ask().onOneCardEach() && member.ask().ofOneType() && fitsOneCard());
        return severalCards
                ? Optional.of("a pod that needs more than one card evicts nobody while " + SWITCH
                        + " is off")
                : Optional.empty();
    }

    private boolean fitsOneCard() {
        return stuck.nodes().values().stream()
                .flatMap(node -> node.cards().stream())
                .anyMatch(card -> member.units() <= card.card().capacityUnits());
    }

    private List<Refusal> refusals() {
        List<Refusal> refusals = new ArrayList<>();
        for (NodeState node : stuck.nodes().values()) {
            Optional<String> whole = ofNode(node);
            if (whole.isPresent()) {
                refusals.add(new Refusal(node.name(), "", whole.get()));
            } else {
                node.cards()
                        .forEach(card -> refusals.add(new Refusal(
                                node.name(), card.card().shortName(), ofCard(node, card))));
            }
        }
        return refusals;
    }

    private Optional<String> ofNode(NodeState node) {
        Optional<String> filtered = NodeFilter.refusal(node.view(), member, settings);
        if (filtered.isPresent()) {
            return filtered;
        }
        for (Map.Entry<String, Long> each : member.ordinary().amounts().entrySet()) {
            long left = node.left().of(each.getKey());
            if (each.getValue() > 0 && each.getValue() > left) {
                return Optional.of("asks " + each.getValue() + amountOf(each.getKey()) + ", "
                        + Math.max(0, left) + " left");
            }
        }
        return node.cards().isEmpty() ? Optional.of("it has no cards") : Optional.empty();
    }

    private static String amountOf(String resource) {
        return resource.equals("cpu") ? " milli-cpu" : " " + resource;
    }

    private String ofCard(NodeState node, CardState card) {
        return card.closed().orElseGet(() -> missing(card) + foreign(card) + blockers(node, card));
    }

    private String missing(CardState card) {
        String name = card.card().shortName();
        if (largest.load().units() > card.card().capacityUnits()) {
            return name + " has " + Words.count(card.card().capacityUnits(), "unit") + " in all";
        }
        boolean otherType = card.settledClashes(largest.type())
                || card.residents().stream()
                        .anyMatch(resident -> resident.clashes(card.id(), largest.type()));
        if (otherType) {
            return "other isolation type on " + name;
        }
        if (card.freeShares() == 0) {
            return name + " is shared by " + card.maxShares() + " already";
        }
        if (largest.load().units() <= card.freeUnits() && largest.load().core() > card.freeCore()) {
            return name + " has " + card.freeCore() + " % core free";
        }
        return name + " has " + card.freeUnits() + " of " + card.card().capacityUnits()
                + " units free";
    }

    private static String foreign(CardState card) {
        int units = card.card().foreignUnits();
        return units == 0 ? "" : ", " + Words.count(units, "unit") + " used from outside";
    }

    private String blockers(NodeState node, CardState card) {
        List<String> texts = new ArrayList<>(holds(node.view().ledger(), card));
        for (Resident resident : card.residents()) {
            blocker(resident, card).ifPresent(why -> texts.add(resident.name() + " " + why));
        }
        return texts.isEmpty() ? "" : " (" + Words.some(texts, PODS_NAMED, ", ") + ")";
    }

    private static List<String> holds(NodeLedger ledger, CardState card) {
        return ledger.reservations().values().stream()
                .filter(Reservation::isHold)
                .filter(hold ->
                        hold.shares().stream().anyMatch(share -> share.card().equals(card.id())))
                .map(hold -> "held for " + hold.pod().namespacedName())
                .sorted()
                .toList();
    }

    private Optional<String> blocker(Resident resident, CardState card) {
        if (resident.standing() == Standing.LEAVING) {
            return Optional.of("leaves, grace " + resident.pod().grace().toSeconds() + " s");
        }
        if (resident.standing() == Standing.STAYS) {
            return Optional.of(resident.why());
        }
        if (!member.mayEvict()) {
            return Optional.empty();
        }
        if (resident.priority() >= member.pod().priority()) {
            return Optional.of("has priority " + resident.priority() + ", not below "
                    + member.pod().priority());
        }
        return settings.topologyAware() || resident.isOnlyOn(card.id())
                ? Optional.empty()
                : Optional.of("has shares on other cards too");
    }
}
