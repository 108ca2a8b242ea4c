package dev.cede.coordinator.planner;

import dev.cede.ledger.Load;
import dev.cede.model.CardId;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A node as planned so far. Each step makes a new one, so undoing a step is going back to the one
 * before (E2).
 *
 * @param cards by index
 * @param left of ordinary resources
 * @param wanted ordinary resources taken by places of the plan
 * @param used cards with places of the plan
 * @param victims of the plan, in the order of their choice
 * @param awaited leaving pods whose room the plan counts on
 */
record NodeState(
        NodeView view,
        List<CardState> cards,
        Ordinary left,
        Ordinary wanted,
        SortedSet<CardId> used,
        List<Resident> victims,
        List<Resident> awaited) {

    NodeState {
        cards = List.copyOf(cards);
        used = Collections.unmodifiableSortedSet(new TreeSet<>(used));
        victims = List.copyOf(victims);
        awaited = List.copyOf(awaited);
    }

    /** Before any step. */
    static NodeState untouched(NodeView view, List<CardState> cards) {
        return new NodeState(
                view,
                cards,
                Ordinary.leftOn(view),
                Ordinary.NONE,
                new TreeSet<>(),
                List.of(),
                List.of());
    }

    String name() {
        return view.name();
    }

    CardState card(CardId id) {
        return cards.stream().filter(card -> card.id().equals(id)).findFirst().orElseThrow();
    }

    int idleUnits() {
        return cards.stream().mapToInt(CardState::freeUnits).sum();
    }

    int largestHole() {
        return cards.stream()
                .filter(card -> card.closed().isEmpty())
                .mapToInt(CardState::freeUnits)
                .max()
                .orElse(0);
    }

    int usableUnits() {
        return cards.stream().mapToInt(CardState::usableUnits).sum();
    }

    /** Pods whose shares the plan's places stand behind. */
    List<Resident> gone() {
        return Stream.concat(victims.stream(), awaited.stream()).toList();
    }

    /** One more pod has its place, and what stood in its way counts as gone. */
    NodeState after(Member member, Option option) {
        List<Resident> leave = option.gone();
        List<CardState> next = new ArrayList<>();
        for (CardState card : cards) {
            CardState state = card;
            for (Resident resident : leave) {
                state = state.without(resident);
            }
            Demand demand = option.demands().get(card.id());
            next.add(demand == null ? state : state.with(demand.load(), demand.type()));
        }
        Ordinary mine = member.ordinary();
        SortedSet<CardId> cardsUsed = new TreeSet<>(used);
        cardsUsed.addAll(option.demands().keySet());
        return new NodeState(
                view,
                next,
                left.plus(ordinary(leave)).minus(mine),
                wanted.plus(mine),
                cardsUsed,
                joined(victims, option.victims()),
                joined(awaited, option.awaited()));
    }

    private static Ordinary ordinary(Collection<Resident> residents) {
        Ordinary sum = Ordinary.NONE;
        for (Resident resident : residents) {
            sum = sum.plus(Ordinary.of(resident.pod()));
        }
        return sum;
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Whether the plan's places still fit if this one that was to go stays (E6). */
    boolean canKeep(Resident resident) {
        for (CardState card : cards) {
            boolean concerned = used.contains(card.id()) && resident.isOn(card.id());
            if (concerned && !canKeep(card, resident)) {
                return false;
            }
        }
        Ordinary after = left.minus(Ordinary.of(resident.pod()));
        return wanted.amounts().entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(Map.Entry::getKey)
                .allMatch(resource -> after.of(resource) >= 0);
    }

    private static boolean canKeep(CardState card, Resident resident) {
        boolean clashes =
                card.settled().stream().anyMatch(type -> resident.clashes(card.id(), type));
        return !clashes && card.excess(resident.on(card.id())).equals(Load.NONE);
    }

    /** The same plan, with one that was to go staying. */
    NodeState keeping(Resident resident) {
        return new NodeState(
                view,
                cards.stream().map(card -> card.with(resident)).toList(),
                left.minus(Ordinary.of(resident.pod())),
                wanted,
                used,
                without(victims, resident),
                without(awaited, resident));
    }

    private static List<Resident> without(List<Resident> all, Resident one) {
        return all.stream().filter(each -> each != one).toList();
    }

    /** States are told apart by identity: each step makes one of its own. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
