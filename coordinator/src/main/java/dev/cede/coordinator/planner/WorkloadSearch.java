package dev.cede.coordinator.planner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Places the members of a workload one by one, each seeing what the earlier ones took and freed,
 * going back where a later one finds no place (E2).
 */
final class WorkloadSearch {
    /** Tentative places of one search; counted, so that every machine stops at the same point. */
    static final int MAX_STEPS = 2_000;

    private final List<Member> order;
    private final List<Reach> reaches;
    private final PlannerSettings settings;
    private final boolean alike;
    private final TreeMap<String, NodeState> nodes;
    private final List<Member.Shape> shapes;
    private final List<Step> steps = new ArrayList<>();
    private final Map<Key, List<Option>> known = new HashMap<>();

    private int tried;
    private int deepest = -1;
    private TreeMap<String, NodeState> deepestNodes = new TreeMap<>();

    /** A member and the way it is placed. */
    record Step(Member member, Option option) {}

    /** How a search ended. */
    sealed interface Outcome {}

    /** All have a place. */
    record Found(SortedMap<String, NodeState> nodes, List<Step> steps) implements Outcome {}

    /**
     * Not all have.
     *
     * @param member who found no place after the longest row of places
     * @param nodes as it met them
     * @param stopped the bound ended the search, so that a way may exist
     */
    record Stuck(Member member, SortedMap<String, NodeState> nodes, boolean stopped)
            implements Outcome {}

    private record Key(NodeState node, int shape, Reach reach, int floor) {}

    private WorkloadSearch(
            List<Member> members,
            SortedMap<String, NodeState> nodes,
            List<Reach> reaches,
            PlannerSettings settings) {
        this.order = members.stream()
                .sorted(Comparator.comparingInt(Member::units).reversed())
                .toList();
        this.nodes = new TreeMap<>(nodes);
        this.reaches = reaches;
        this.settings = settings;
        this.shapes = members.stream().map(Member::shape).distinct().toList();
        this.alike = shapes.size() == 1 && members.getFirst().parts().size() <= 1;
    }

    static Outcome search(
            List<Member> members,
            SortedMap<String, NodeState> nodes,
            List<Reach> reaches,
            PlannerSettings settings) {
        WorkloadSearch search = new WorkloadSearch(members, nodes, reaches, settings);
        if (search.placeFrom(0)) {
            return new Found(search.nodes, List.copyOf(search.steps));
        }
        return new Stuck(
                search.order.get(search.deepest), search.deepestNodes, search.tried > MAX_STEPS);
    }

    private boolean placeFrom(int at) {
        if (at == order.size()) {
            return true;
        }
        Member member = order.get(at);
        boolean any = false;
        for (Reach reach : reaches) {
            for (Option option : options(member, reach)) {
                any = true;
                if (place(at, member, option)) {
                    return true;
                }
                if (!mayGoBack()) {
                    return false;
                }
            }
        }
        if (!any) {
            recordStuck(at);
        }
        return false;
    }

    /** Single shares of one size fill whatever fits, in any order: going back finds nothing new. */
    private boolean mayGoBack() {
        return !alike && tried <= MAX_STEPS;
    }

    private boolean place(int at, Member member, Option option) {
        tried++;
        String name = option.node().name();
        NodeState before = nodes.put(name, option.node().after(member, option));
        steps.add(new Step(member, option));
        if (placeFrom(at + 1)) {
            return true;
        }
        steps.removeLast();
        nodes.put(name, before);
        return false;
    }

    private void recordStuck(int at) {
        if (at > deepest) {
            deepest = at;
            deepestNodes = new TreeMap<>(nodes);
        }
    }

    private List<Option> options(Member member, Reach reach) {
        if (reach == Reach.EVICT && !member.mayEvict()) {
            return List.of();
        }
        int floor = nodes.values().stream()
                .flatMap(node -> node.victims().stream())
                .mapToInt(Resident::priority)
                .max()
                .orElse(Integer.MIN_VALUE);
        int shape = shapes.indexOf(member.shape());
        List<Option> options = new ArrayList<>();
        for (NodeState node : Ranking.nodes(nodes.values(), member, settings)) {
            Key key = new Key(node, shape, reach, floor);
            options.addAll(known.computeIfAbsent(key, fresh -> options(fresh, member)));
        }
        return switch (reach) {
            case FREE -> options;
            case SOON, LATE -> Ranking.byWait(options);
            case EVICT -> Ranking.byCost(options, member, floor);
        };
    }

    private List<Option> options(Key key, Member member) {
        return NodeFilter.refusal(key.node.view(), member, settings).isPresent()
                ? List.of()
                : CardSets.options(key.node, member, new Fit.Scope(key.reach, key.floor, settings));
    }
}
