package dev.cede.coordinator.planner;

import dev.cede.coordinator.planner.ShareAsk.ContainerAsk;
import dev.cede.coordinator.planner.WorkloadSearch.Found;
import dev.cede.coordinator.planner.WorkloadSearch.Step;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Turns what a search found into a decision. */
final class PlanWriter {
    /** The costliest first, so that a dear victim is spared before a cheap one. */
    private static final Comparator<Resident> SPARED_FIRST =
            Comparator.comparingInt(Resident::priority).reversed().thenComparing(Resident.BY_NAME);

    private static final Comparator<Resident> SLOWEST_FIRST =
            Comparator.comparing(Resident::remaining).reversed().thenComparing(Resident.BY_NAME);

    private PlanWriter() {}

    /**
     * Spares every victim, and every wait, that later members made useless (E6): with the places
     * kept, one after the other stays if all still fit.
     */
    static Found withoutUseless(Found found) {
        TreeMap<String, NodeState> lean = new TreeMap<>(found.nodes());
        lean.replaceAll((name, node) -> {
            NodeState state = node;
            for (Resident resident : sparingOrder(node)) {
                state = state.canKeep(resident) ? state.keeping(resident) : state;
            }
            return state;
        });
        return new Found(lean, found.steps());
    }

    private static List<Resident> sparingOrder(NodeState node) {
        List<Resident> order =
                new ArrayList<>(node.victims().stream().sorted(SPARED_FIRST).toList());
        order.addAll(node.awaited().stream().sorted(SLOWEST_FIRST).toList());
        return order;
    }

    static Decision.Place place(List<Member> members, Found found) {
        List<Placement> placements = found.steps().stream()
                .sorted(Comparator.comparingInt(step -> step.member().number()))
                .map(step -> placement(step, found))
                .toList();
        List<Victim> victims = found.nodes().values().stream()
                .flatMap(node -> node.victims().stream()
                        .sorted(Resident.BY_NAME)
                        .map(victim -> victim(victim, node, found)))
                .toList();
        boolean exact = victims.isEmpty()
                || found.steps().stream().allMatch(step -> step.option().exact());
        String note = exact
                ? ""
                : "the search for victims stopped at its step bound; a cheaper set may exist";
        return new Decision.Place(placements, victims, note);
    }

    private static Placement placement(Step step, Found found) {
        Option option = step.option();
        List<Share> shares = shares(step.member(), option.cards());
        NodeState node = found.nodes().get(option.node().name());
        SortedSet<ShareKey> behind = shares.isEmpty() ? new TreeSet<>() : behind(node);
        return new Placement(step.member().pod().ref(), node.name(), shares, behind);
    }

    private static List<Share> shares(Member member, List<CardId> cards) {
        ShareAsk ask = member.ask();
        List<Share> shares = new ArrayList<>();
        for (int i = 0; i < ask.containers().size(); i++) {
            ContainerAsk each = ask.containers().get(i);
            for (CardId card : ask.onOneCardEach() ? List.of(cards.get(i)) : cards) {
                shares.add(new Share(member.pod().ref(), each.container(), card, each.amount()));
            }
        }
        return shares;
    }

    private static SortedSet<ShareKey> behind(NodeState node) {
        SortedSet<ShareKey> behind = new TreeSet<>();
        node.gone().stream()
                .flatMap(resident -> resident.shares().stream())
                .filter(share -> node.used().contains(share.card()))
                .forEach(share -> behind.add(share.key()));
        return behind;
    }

    private static Victim victim(Resident victim, NodeState node, Found found) {
        Member winner = found.steps().stream()
                .filter(step -> step.option().victims().contains(victim))
                .map(Step::member)
                .findFirst()
                .orElseThrow();
        List<String> rooms = new ArrayList<>();
        for (Share share : victim.shares()) {
            rooms.add(Words.amount(share.amount()) + " on " + cardName(share, node));
        }
        String sentence = "priority " + victim.priority() + " is below the "
                + winner.pod().priority() + " of " + winner.pod().ref().namespacedName()
                + ", which needs the room of its " + String.join(" and ", rooms)
                + (isOtherType(victim, winner) ? ", of another isolation type" : "");
        return new Victim(victim.pod(), node.name(), sentence);
    }

    private static String cardName(Share share, NodeState node) {
        return node.cards().stream()
                .filter(card -> card.id().equals(share.card()))
                .map(card -> card.card().shortName())
                .findFirst()
                .orElse("a card that is gone");
    }

    private static boolean isOtherType(Resident victim, Member winner) {
        for (IsolationType type : IsolationType.values()) {
            boolean clashes = victim.shares().stream()
                    .anyMatch(share -> !share.amount().type().mayShareCardWith(type));
            if (clashes && winner.ask().asks(type)) {
                return true;
            }
        }
        return false;
    }
}
