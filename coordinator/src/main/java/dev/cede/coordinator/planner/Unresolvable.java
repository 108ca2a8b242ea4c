package dev.cede.coordinator.planner;

import dev.cede.coordinator.planner.Decision.NoRoom;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.Units;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Shares larger than any card: nothing that leaves can help (A11). */
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
        int asked =
                member.ask().amounts().stream().mapToInt(Amount::units).max().orElse(0);
        return largest(suitable)
                .filter(card -> allKnown && asked > card.capacityUnits())
                .map(card -> new NoRoom(
                        Words.prefix(member, members) + "asks " + asked
                                + " units; the largest card has " + card.capacityUnits() + " ("
                                + size(card) + ")",
                        true,
                        List.of()));
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
