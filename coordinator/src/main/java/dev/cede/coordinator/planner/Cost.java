package dev.cede.coordinator.planner;

import dev.cede.model.PodRef;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * What a way with victims costs; lower is better, key by key (E5, keys 2 to 8).
 *
 * @param highest priority among the victims
 * @param weight sum over victims of priority + 2^31
 * @param idle units left on the node
 * @param scattered free units of the node less the largest hole
 * @param started earliest start among the victims of the highest priority
 */
record Cost(
        int highest,
        long weight,
        int count,
        int idle,
        int scattered,
        Instant started,
        String node,
        List<Integer> cards,
        List<PodRef> victims)
        implements Comparable<Cost> {
    private static final Comparator<Cost> ORDER = Comparator.comparingInt(Cost::highest)
            .thenComparingLong(Cost::weight)
            .thenComparingInt(Cost::count)
            .thenComparing(Comparator.comparingInt(Cost::idle).reversed())
            .thenComparingInt(Cost::scattered)
            .thenComparing(Comparator.comparing(Cost::started).reversed())
            .thenComparing(Cost::node)
            .thenComparing(Cost::cards, Cost::compareLists)
            .thenComparing(Cost::victims, Cost::compareLists);

    /**
     * The cost of an option.
     *
     * @param floor highest priority that the plan evicts already
     */
    static Cost of(Option option, Member member, int floor) {
        List<Resident> victims = option.victims();
        int own = victims.stream().mapToInt(Resident::priority).max().orElse(Integer.MIN_VALUE);
        NodeState after = option.node().after(member, option);
        return new Cost(
                Math.max(own, floor),
                victims.stream()
                        .mapToLong(victim -> victim.priority() + Cover.WEIGHT_BASE)
                        .sum(),
                victims.size(),
                after.idleUnits(),
                after.idleUnits() - after.largestHole(),
                victims.stream()
                        .filter(victim -> victim.priority() == own)
                        .map(Resident::started)
                        .min(Comparator.naturalOrder())
                        .orElse(Instant.MAX),
                option.node().name(),
                option.cardIndexes(),
                victims.stream().map(victim -> victim.pod().ref()).sorted().toList());
    }

    private static <T extends Comparable<T>> int compareLists(List<T> one, List<T> other) {
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            int order = one.get(i).compareTo(other.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(one.size(), other.size());
    }

    @Override
    public int compareTo(Cost other) {
        return ORDER.compare(this, other);
    }
}
