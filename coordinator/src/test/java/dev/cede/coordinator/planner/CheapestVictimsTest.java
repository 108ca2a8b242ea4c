package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.planner.Decision.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The cheapest victims on the cards of one node against trying every set of pods, straight from the
 * rules: same card, same type, one share a pod (E4, E5 keys 2 to 4).
 */
final class CheapestVictimsTest {
    private static final int SEEDS = 2_000;

    private record Low(int priority, int units, int core, boolean mayGo) {}

    private record DrawnCard(int capacity, List<Low> pods) {}

    record Price(int highest, long sum, int count) implements Comparable<Price> {
        private static final Comparator<Price> ORDER = Comparator.comparingInt(Price::highest)
                .thenComparingLong(Price::sum)
                .thenComparingInt(Price::count);

        static Price of(Place place) {
            assertEquals("", place.note());
            return of(place.victims().stream()
                    .map(victim -> victim.pod().priority())
                    .toList());
        }

        static Price of(List<Integer> priorities) {
            return new Price(
                    priorities.stream().mapToInt(p -> p).max().orElse(Integer.MIN_VALUE),
                    priorities.stream().mapToLong(p -> p + 2_147_483_648L).sum(),
                    priorities.size());
        }

        @Override
        public int compareTo(Price other) {
            return ORDER.compare(this, other);
        }
    }

    @Test
    void noSetOfPodsIsCheaper_E4() {
        int evicted = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            boolean core = random.nextBoolean();
            List<DrawnCard> cards = new ArrayList<>();
            for (int c = 1 + random.nextInt(2); c > 0; c--) {
                cards.add(card(random, core));
            }
            Low high = new Low(
                    random.nextInt(6),
                    1 + random.nextInt(64),
                    core ? 5 * (1 + random.nextInt(20)) : 0,
                    false);
            Optional<Price> expected = cards.stream()
                    .flatMap(card -> cheapest(card, high).stream())
                    .min(Comparator.naturalOrder());
            assertEquals(expected, found(cards, high), "seed " + seed + " " + cards + high);
            evicted += expected.isPresent() && expected.get().count > 0 ? 1 : 0;
        }
        assertTrue(evicted > SEEDS / 4, "only " + evicted + " with victims");
    }

    private static DrawnCard card(Random random, boolean core) {
        List<Low> pods = new ArrayList<>();
        int unitsLeft = 64;
        int coreLeft = 100;
        for (int p = random.nextInt(11); p > 0; p--) {
            int units = 1 + random.nextInt(20);
            int percent = core ? 5 * (1 + random.nextInt(8)) : 0;
            if (units <= unitsLeft && percent <= coreLeft) {
                pods.add(new Low(random.nextInt(5) - 1, units, percent, random.nextInt(8) > 0));
                unitsLeft -= units;
                coreLeft -= percent;
            }
        }
        return new DrawnCard(64, pods);
    }

    /** Every subset, by counting in binary. */
    private static Optional<Price> cheapest(DrawnCard card, Low high) {
        Optional<Price> best = Optional.empty();
        for (int set = 0; set < 1 << card.pods.size(); set++) {
            Optional<Price> price = price(card, high, set);
            if (price.isPresent() && (best.isEmpty() || price.get().compareTo(best.get()) < 0)) {
                best = price;
            }
        }
        return best;
    }

    private static Optional<Price> price(DrawnCard card, Low high, int set) {
        int units = high.units;
        int core = high.core;
        int highest = Integer.MIN_VALUE;
        long sum = 0;
        for (int i = 0; i < card.pods.size(); i++) {
            Low pod = card.pods.get(i);
            if ((set & 1 << i) == 0) {
                units += pod.units;
                core += pod.core;
            } else if (!pod.mayGo || pod.priority >= high.priority) {
                return Optional.empty();
            } else {
                highest = Math.max(highest, pod.priority);
                sum += pod.priority + 2_147_483_648L;
            }
        }
        return units <= card.capacity && core <= 100
                ? Optional.of(new Price(highest, sum, Integer.bitCount(set)))
                : Optional.empty();
    }

    private static Optional<Price> found(List<DrawnCard> cards, Low high) {
        StringBuilder text = new StringBuilder();
        for (int c = 0; c < cards.size(); c++) {
            text.append(" c")
                    .append(c)
                    .append('[')
                    .append(cards.get(c).capacity)
                    .append("u]");
            int number = 0;
            for (Low pod : cards.get(c).pods) {
                text.append(" L").append(c).append('x').append(number++).append(words(pod));
                text.append("@c").append(c);
            }
        }
        return World.of(text.toString()).decide("H" + words(high)) instanceof Place place
                ? Optional.of(Price.of(place))
                : Optional.empty();
    }

    private static String words(Low pod) {
        return "(p" + pod.priority + "," + pod.units + "u," + pod.core + "%"
                + (pod.mayGo ? "" : ",preemptable=false") + ")";
    }
}
