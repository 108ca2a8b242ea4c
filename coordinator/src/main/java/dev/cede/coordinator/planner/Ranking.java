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
        List<Filled> filled = nodes.stream().map(Filled::of).toList();
        Comparator<Filled> order;
        if (member.ask().isEmpty()) {
            order = Comparator.comparingInt(each -> each.node.view().pods().size());
        } else {
            order = settings.nodeSpread() ? Filled::compare : (a, b) -> Filled.compare(b, a);
        }
        return filled.stream()
                .sorted(order.thenComparing(each -> each.node.name()))
                .map(Filled::node)
                .toList();
    }

    /** A node and how much of its usable units is taken. */
    private record Filled(NodeState node, long used, long all) {
        static Filled of(NodeState node) {
            int all = node.usableUnits();
            return new Filled(node, all - node.idleUnits(), all);
        }

        /** Compares used/all without dividing. */
        static int compare(Filled one, Filled other) {
            return Long.compare(one.used * other.all, other.used * one.all);
        }
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
