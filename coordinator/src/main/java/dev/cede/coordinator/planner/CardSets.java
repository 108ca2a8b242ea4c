package dev.cede.coordinator.planner;

import dev.cede.model.CardId;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Ways to lay the parts of one pod's ask on the cards of one node, best filled first (B10). */
final class CardSets {
    /** Sets of cards looked at for one pod on one node; only pods of many parts reach it. */
    static final int MAX_SETS = 4096;

    /** Without victims the first ways found are the best ones; more are kept for going back. */
    private static final int ENOUGH_WITHOUT_VICTIMS = 16;

    private final NodeState node;
    private final Member member;
    private final Fit.Scope scope;
    private final List<CardState> alone;
    private final List<Option> found = new ArrayList<>();
    private int steps;

    private CardSets(NodeState node, Member member, Fit.Scope scope) {
        this.node = node;
        this.member = member;
        this.scope = scope;
        this.alone = member.ask().onOneCardEach() ? List.of() : alone();
    }

    /** The options on a node; only those with victims when evictions are in reach. */
    static List<Option> options(NodeState node, Member member, Fit.Scope scope) {
        CardSets sets = new CardSets(node, member, scope);
        if (member.ask().isEmpty()) {
            sets.accept(List.of());
        } else if (scope.reach() == Reach.EVICT && !scope.settings().topologyAware()) {
            sets.oneCard();
        } else {
            sets.extend(List.of());
        }
        return sets.found;
    }

    /** With the switch off only a pod that fits on one card may preempt (D1). */
    private void oneCard() {
        if (member.ask().onOneCardEach()) {
            for (CardState card : node.cards()) {
                accept(Collections.nCopies(member.parts().size(), card.id()));
            }
        }
    }

    private void extend(List<CardId> chosen) {
        if (isEnough() || ++steps > MAX_SETS) {
            return;
        }
        int parts = member.parts().size();
        if (chosen.size() == parts) {
            accept(chosen);
            return;
        }
        boolean together = !member.ask().onOneCardEach();
        for (CardState card : together ? others(chosen) : ranked(chosen)) {
            List<CardId> next = new ArrayList<>(chosen);
            next.add(card.id());
            if (together || next.size() == parts || fits(next).isPresent()) {
                extend(next);
            }
        }
    }

    /**
     * Cards that would take a part if it were the only one. Any of them together would, too: more
     * leave for several, never fewer. Cheapest first, so that where the bound ends the search, the
     * dear sets are those left out.
     */
    private List<CardState> alone() {
        List<Option> each = ranked(List.of()).stream()
                .flatMap(card -> fits(List.of(card.id())).stream())
                .toList();
        List<Option> inOrder =
                scope.reach() == Reach.EVICT ? Ranking.byCost(each, member, scope.floor()) : each;
        return inOrder.stream()
                .map(option -> node.card(option.cards().getFirst()))
                .toList();
    }

    /** Each set of cards once: those behind the last one chosen, as long as enough are left. */
    private List<CardState> others(List<CardId> chosen) {
        int from = chosen.isEmpty() ? 0 : alone.indexOf(node.card(chosen.getLast())) + 1;
        int to = alone.size() - (member.parts().size() - chosen.size()) + 1;
        return from < to ? alone.subList(from, to) : List.of();
    }

    private boolean isEnough() {
        return scope.reach() != Reach.EVICT && found.size() >= ENOUGH_WITHOUT_VICTIMS;
    }

    private void accept(List<CardId> cards) {
        fits(cards)
                .filter(option ->
                        scope.reach() != Reach.EVICT || !option.victims().isEmpty())
                .map(option -> steps > MAX_SETS ? inexact(option) : option)
                .ifPresent(found::add);
    }

    private static Option inexact(Option option) {
        return new Option(
                option.node(),
                option.cards(),
                option.demands(),
                option.victims(),
                option.awaited(),
                false);
    }

    private Optional<Option> fits(List<CardId> cards) {
        List<CardId> inOrder = member.ask().onOneCardEach() ? cards : byIndex(cards);
        return Fit.of(node, member, inOrder, scope);
    }

    private List<CardId> byIndex(List<CardId> cards) {
        return node.cards().stream().map(CardState::id).filter(cards::contains).toList();
    }

    /** Fullest first, or emptiest with {@code card_policy: spread}; ties by index. */
    private List<CardState> ranked(List<CardId> chosen) {
        Comparator<CardState> fullest =
                Comparator.comparingInt(card -> card.freeUnits() - taken(card.id(), chosen));
        return node.cards().stream()
                .sorted((scope.settings().cardSpread() ? fullest.reversed() : fullest)
                        .thenComparingInt(card -> card.card().index()))
                .toList();
    }

    private int taken(CardId card, List<CardId> chosen) {
        int units = 0;
        for (int i = 0; i < chosen.size(); i++) {
            if (chosen.get(i).equals(card)) {
                units += member.parts().get(i).load().units();
            }
        }
        return units;
    }
}
