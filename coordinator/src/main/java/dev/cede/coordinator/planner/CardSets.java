package dev.cede.coordinator.planner;

import dev.cede.model.Amount;
import dev.cede.model.CardId;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Ways to lay the containers of one pod on the cards of one node, best filled first (B10). */
final class CardSets {
    /** Sets of cards looked at for one pod on one node; only pods of many containers reach it. */
    static final int MAX_SETS = 4096;

    /** Without victims the first ways found are the best ones; more are kept for going back. */
    private static final int ENOUGH_WITHOUT_VICTIMS = 16;

    private final NodeState node;
    private final Member member;
    private final Fit.Scope scope;
    private final List<Option> found = new ArrayList<>();
    private int steps;

    private CardSets(NodeState node, Member member, Fit.Scope scope) {
        this.node = node;
        this.member = member;
        this.scope = scope;
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
        int containers = member.ask().containers().size();
        for (CardState card : node.cards()) {
            accept(Collections.nCopies(containers, card.id()));
        }
    }

    private void extend(List<CardId> chosen) {
        if (isEnough() || ++steps > MAX_SETS) {
            return;
        }
        List<Amount> amounts = member.ask().amounts();
        if (chosen.size() == amounts.size()) {
            accept(chosen);
            return;
        }
        for (CardState card : ranked(chosen)) {
            List<CardId> next = new ArrayList<>(chosen);
            next.add(card.id());
            if (next.size() == amounts.size() || fits(next).isPresent()) {
                extend(next);
            }
        }
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
        return Fit.of(node, member, cards, scope);
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
                units += member.ask().amounts().get(i).units();
            }
        }
        return units;
    }
}
