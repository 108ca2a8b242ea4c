package dev.cede.coordinator.planner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cheapest victims that make up for what is missing: lowest highest priority, then lowest sum
 * of (priority + 2^31), then fewest (E5 keys 2 to 4). Exact unless the step bound ends it (E4).
 *
 * <p>Candidates alike in priority and in what they give are one class, of which only the number
 * taken matters; classes are tried biggest gift first, so that the first set found is good and
 * bounds the rest.
 */
final class Cover {
    /** Steps of one search; a card of 20 shares needs a small part of it. */
    static final int MAX_STEPS = 200_000;

    /** Makes every priority a weight of at least zero. */
    static final long WEIGHT_BASE = 1L << 31;

    private final List<Group> groups;
    private final long[] missing;
    private final long[][] bestGift;
    private final long[][] totalGift;
    private final long[] lightest;
    private final int[] taken;

    private int[] best;
    private long bestWeight = Long.MAX_VALUE;
    private long bestCount = Long.MAX_VALUE;
    private int steps;

    /** The victims, best kept first among equals. */
    record Found(List<Resident> victims, boolean exact) {}

    /** Candidates alike. */
    private static final class Group {
        private final int priority;
        private final long[] gift;
        private final List<Resident> members = new ArrayList<>();

        private Group(int priority, long[] gift) {
            this.priority = priority;
            this.gift = gift;
        }

        long weight() {
            return priority + WEIGHT_BASE;
        }

        Resident first() {
            return members.getFirst();
        }

        long sum() {
            return Arrays.stream(gift).sum();
        }
    }

    private Cover(List<Group> groups, long[] missing) {
        this.groups = groups;
        this.missing = missing;
        this.taken = new int[groups.size()];
        this.bestGift = new long[groups.size() + 1][missing.length];
        this.totalGift = new long[groups.size() + 1][missing.length];
        this.lightest = new long[groups.size() + 1];
        lightest[groups.size()] = Long.MAX_VALUE;
        for (int i = groups.size() - 1; i >= 0; i--) {
            Group group = groups.get(i);
            lightest[i] = Math.min(lightest[i + 1], group.weight());
            for (int d = 0; d < missing.length; d++) {
                bestGift[i][d] = Math.max(bestGift[i + 1][d], group.gift[d]);
                totalGift[i][d] = totalGift[i + 1][d] + group.gift[d] * group.members.size();
            }
        }
    }

    /**
     * Finds them, or nothing when even all candidates are not enough.
     *
     * @param floor a highest priority that costs nothing more, because others of the plan have it
     */
    static Optional<Found> cheapest(Need need, List<Resident> candidates, int floor) {
        if (need.isMet()) {
            return Optional.of(new Found(List.of(), true));
        }
        Optional<Integer> highest = lowestHighest(need, candidates, floor);
        return highest.map(priority -> {
            List<Resident> allowed = candidates.stream()
                    .filter(each -> each.priority() <= priority)
                    .toList();
            return new Cover(groups(need, allowed), need.missing()).search();
        });
    }

    private static Optional<Integer> lowestHighest(
            Need need, List<Resident> candidates, int floor) {
        List<Resident> rising = new ArrayList<>(candidates);
        rising.sort(Comparator.comparingInt(Resident::priority));
        Need left = need;
        int highest = floor;
        for (Resident candidate : rising) {
            if (candidate.priority() > highest && left.isMet()) {
                break;
            }
            highest = Math.max(highest, candidate.priority());
            left = left.without(candidate);
        }
        return left.isMet() ? Optional.of(highest) : Optional.empty();
    }

    private static List<Group> groups(Need need, List<Resident> candidates) {
        TreeMap<String, Group> byKind = new TreeMap<>();
        for (Resident candidate : candidates) {
            long[] gift = need.gives(candidate);
            if (Arrays.stream(gift).anyMatch(each -> each > 0)) {
                byKind.computeIfAbsent(
                                candidate.priority() + Arrays.toString(gift),
                                kind -> new Group(candidate.priority(), gift))
                        .members
                        .add(candidate);
            }
        }
        List<Group> groups = new ArrayList<>(byKind.values());
        groups.forEach(group -> group.members.sort(PREFERRED));
        groups.sort(Comparator.comparingLong(Group::sum)
                .reversed()
                .thenComparingLong(Group::weight)
                .thenComparing(Group::first, Resident.BY_NAME));
        return groups;
    }

    /** Who started last goes first (E5 keys 7 and 8). */
    private static final Comparator<Resident> PREFERRED =
            Comparator.comparing(Resident::started).reversed().thenComparing(Resident.BY_NAME);

    private Found search() {
        descend(0, missing, 0, 0);
        List<Resident> victims = new ArrayList<>();
        for (int i = 0; i < best.length; i++) {
            victims.addAll(groups.get(i).members.subList(0, best[i]));
        }
        victims.sort(Resident.BY_NAME);
        return new Found(victims, steps <= MAX_STEPS);
    }

    private void descend(int at, long[] left, long weight, long count) {
        if (isMet(left)) {
            accept(weight, count);
            return;
        }
        if (at == groups.size() || (++steps > MAX_STEPS && best != null)) {
            return;
        }
        long more = atLeastMore(at, left);
        if (more < 0 || !better(weight + more * lightest[at], count + more)) {
            return;
        }
        Group group = groups.get(at);
        for (int take = useful(group, left); take >= 0; take--) {
            taken[at] = take;
            descend(
                    at + 1,
                    minus(left, group.gift, take),
                    weight + take * group.weight(),
                    count + take);
        }
        taken[at] = 0;
    }

    private void accept(long weight, long count) {
        if (better(weight, count)) {
            best = taken.clone();
            bestWeight = weight;
            bestCount = count;
        }
    }

    private boolean better(long weight, long count) {
        return weight < bestWeight || (weight == bestWeight && count < bestCount);
    }

    /** No set has fewer members than this; -1 when no set is enough. */
    private long atLeastMore(int at, long[] left) {
        long most = 0;
        for (int d = 0; d < left.length; d++) {
            if (left[d] > totalGift[at][d]) {
                return -1;
            }
            if (left[d] > 0) {
                most = Math.max(most, Math.ceilDiv(left[d], bestGift[at][d]));
            }
        }
        return most;
    }

    /** More members of a group than this are of no use. */
    private static int useful(Group group, long[] left) {
        long most = 0;
        for (int d = 0; d < left.length; d++) {
            if (left[d] > 0 && group.gift[d] > 0) {
                most = Math.max(most, Math.ceilDiv(left[d], group.gift[d]));
            }
        }
        return (int) Math.min(most, group.members.size());
    }

    private static long[] minus(long[] left, long[] gift, int times) {
        long[] next = new long[left.length];
        for (int d = 0; d < left.length; d++) {
            next[d] = left[d] - gift[d] * times;
        }
        return next;
    }

    private static boolean isMet(long[] left) {
        return Arrays.stream(left).allMatch(each -> each <= 0);
    }
}
