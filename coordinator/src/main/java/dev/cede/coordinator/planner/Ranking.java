package dev.cede.coordinator.planner;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Which of several nodes, and which of several ways, comes first (B10, C5, E5). */
final class Ranking {
    private Ranking() {}

    /** Fullest node first, or emptiest with {@code node_policy: spread}; ties by name. */
    static List<NodeState> nodes(
            Collection<NodeState> nodes, Member member, PlannerSettings settings) {
        Comparator<NodeState> order;
        if (member.ask().isEmpty()) {
            order = Comparator.comparingInt(node -> node.view().pods().size());
        } else {
            order = settings.nodeSpread() ? Ranking::byFullness : Ranking.reversed();
        }
        return nodes.stream().sorted(order.thenComparing(NodeState::name)).toList();
    }

    private static Comparator<NodeState> reversed() {
        return (one, other) -> byFullness(other, one);
    }

    /** Compares used parts without dividing: used/all of one with that of the other. */
    private static int byFullness(NodeState one, NodeState other) {
        long usedOne = (long) one.usableUnits() - one.idleUnits();
        long usedOther = (long) other.usableUnits() - other.idleUnits();
        return Long.compare(usedOne * other.usableUnits(), usedOther * one.usableUnits());
    }

    /** Whoever starts earliest first; the order of nodes and cards decides among equals. */
    static List<Option> byWait(List<Option> options) {
        return options.stream()
                .sorted(Comparator.comparing(Ranking::longestWait))
                .toList();
    }

    private static Duration longestWait(Option option) {
        return option.awaited().stream()
                .map(Resident::remaining)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Cheapest victims first. */
    static List<Option> byCost(List<Option> options, Member member, int floor) {
        record Priced(Option option, Cost cost) {}
        return options.stream()
                .map(option -> new Priced(option, Cost.of(option, member, floor)))
                .sorted(Comparator.comparing(Priced::cost))
                .map(Priced::option)
                .toList();
    }
}
