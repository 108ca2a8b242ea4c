package dev.cede.coordinator.planner;

import dev.cede.coordinator.planner.Decision.NoRoom;
import dev.cede.model.Card;
import dev.cede.model.Units;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Shares larger than any card, or of more cards than any node has: nothing that leaves can help (A11). */
final class Unresolvable {
    private static final long MIB = 1L << 20;

    private Unresolvable() {}

    /** The refusal, or empty when every share fits on some card that were empty. */
    static Optional<NoRoom> of(List<Member> members, SortedMap<String, NodeView> nodes) {
        return members.stream()
                .flatMap(member -> of(member, members.size(), nodes.values()).stream())
                .findFirst();
    }

    private static Optional<NoRoom> of(Member member, int members, Collection<NodeView> nodes) {
        List<NodeView> suitable = nodes.stream()
                .filter(node -> NodeFilter.selects(node, member.pod()).isEmpty())
                .toList();
        boolean allKnown = suitable.stream()
                .noneMatch(node -> node.mayReturn() && node.ledger().cards().isEmpty());
        return largest(suitable)
                .filter(card -> allKnown)
                .flatMap(card -> tooLarge(member, card).or(() -> tooMany(member, suitable)))
                .map(sentence ->
                        new NoRoom(Words.prefix(member, members) + sentence, true, List.of()));
    }

    private static int units(Member member) {
        return member.parts().stream()
                .mapToInt(part -> part.load().units())
                .max()
                .orElse(0);
    }

    private static Optional<String> tooLarge(Member member, Card largest) {
        int asked = units(member);
        return asked > largest.capacityUnits()
                ? Optional.of("asks " + asked + " units" + Words.onEach(member.ask())
                        + "; the largest card has " + largest.capacityUnits() + " ("
                        + size(largest) + ")")
                : Optional.empty();
    }

    private static Optional<String> tooMany(Member member, List<NodeView> nodes) {
        int asked = units(member);
        long most = nodes.stream()
                .mapToLong(node -> node.ledger().cards().values().stream()
                        .filter(card -> asked <= card.capacityUnits())
                        .count())
                .max()
                .orElse(0);
        return member.ask().cards() > most && !member.ask().onOneCardEach()
                ? Optional.of("asks " + asked + " units" + Words.onEach(member.ask())
                        + " of one node; the most cards of that size on a node are " + most)
                : Optional.empty();
    }

    private static Optional<Card> largest(List<NodeView> nodes) {
        return nodes.stream()
                .flatMap(node -> node.ledger().cardsByIndex().stream())
                .max(Comparator.comparingInt(Card::capacityUnits));
    }

    private static String size(Card card) {
        String total = card.totalBytes() / MIB + " MiB";
        return card.reservedBytes() == 0
                ? total + " in units of " + Units.MIB + " MiB"
                : total + " less " + card.reservedBytes() / MIB + " MiB kept by the driver";
    }
}
