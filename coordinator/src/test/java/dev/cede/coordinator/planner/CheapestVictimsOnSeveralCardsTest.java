package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.planner.CheapestVictimsTest.Price;
import dev.cede.coordinator.planner.Decision.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A pod of two or three cards, against every set of victims on every set of cards (A8, E4, E5). */
final class CheapestVictimsOnSeveralCardsTest {
    private static final int SEEDS = 1_000;
    private static final int CARDS = 4;
    private static final int UNITS = 32;

    /**
     * A pod.
     *
     * @param cards bits, one for each card it is on
     * @param units on each of them
     * @param core on each of them
     */
    private record Low(int priority, int cards, int units, int core, boolean mayGo) {
        boolean isOn(int card) {
            return (cards & 1 << card) != 0;
        }

        String text(String name) {
            int count = Integer.bitCount(cards);
            List<String> on = IntStream.range(0, CARDS)
                    .filter(this::isOn)
                    .mapToObj(card -> "c" + card)
                    .toList();
            return name + "(p" + priority + "," + count * units + "u," + count * core + "%"
                    + (count > 1 ? ",cards=" + count : "") + (mayGo ? "" : ",preemptable=false")
                    + (name.equals("H") ? ")" : ")@" + String.join("+", on));
        }
    }

    @Test
    void noSetOfPodsIsCheaper_E4_A8() {
        int evicted = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<Low> pods = drawn(random);
            boolean core = random.nextBoolean();
            Low high = new Low(
                    random.nextInt(5),
                    (1 << (2 + random.nextInt(2))) - 1,
                    1 + random.nextInt(UNITS),
                    core ? 5 * (1 + random.nextInt(20)) : 0,
                    true);
            Optional<Price> expected = cheapest(pods, high);
            assertEquals(expected, found(pods, high), "seed " + seed + " " + pods + high);
            evicted += expected.isPresent() && expected.get().count() > 0 ? 1 : 0;
        }
        assertTrue(evicted > SEEDS / 4, "only " + evicted + " with victims");
    }

    /** Up to ten pods, of one to three cards of one type each. */
    private static List<Low> drawn(Random random) {
        int withCore = random.nextInt(1 << CARDS);
        List<Low> pods = new ArrayList<>();
        for (int p = random.nextInt(11); p > 0; p--) {
            int first = random.nextInt(CARDS);
            boolean core = (withCore & (1 << first)) != 0;
            int alike = core ? withCore : ~withCore & ((1 << CARDS) - 1);
            Low pod = new Low(
                    random.nextInt(4) - 1,
                    (1 << first)
                            | (alike & (random.nextBoolean() ? random.nextInt(1 << CARDS) : 0)),
                    1 + random.nextInt(16),
                    core ? 5 * (1 + random.nextInt(8)) : 0,
                    random.nextInt(8) > 0);
            pods.add(pod);
            if (IntStream.range(0, CARDS).anyMatch(card -> !fits(card, pods, 0))) {
                pods.removeLast();
            }
        }
        return pods;
    }

    /** Whether those on a card that stay fit there together. */
    private static boolean fits(int card, List<Low> pods, int gone) {
        List<Low> here = IntStream.range(0, pods.size())
                .filter(i -> (gone & 1 << i) == 0 && pods.get(i).isOn(card))
                .mapToObj(pods::get)
                .toList();
        return here.stream().mapToInt(Low::units).sum() <= UNITS
                && here.stream().mapToInt(Low::core).sum() <= 100
                && here.stream().map(pod -> pod.core == 0).distinct().count() <= 1;
    }

    private static Optional<Price> cheapest(List<Low> pods, Low high) {
        return IntStream.range(0, 1 << pods.size())
                .filter(gone -> mayGo(pods, high, gone))
                .filter(gone -> IntStream.range(0, 1 << CARDS)
                        .filter(set -> Integer.bitCount(set) == Integer.bitCount(high.cards))
                        .anyMatch(set -> takes(pods, high, gone, set)))
                .mapToObj(gone -> price(pods, gone))
                .min(Comparator.naturalOrder());
    }

    private static boolean mayGo(List<Low> pods, Low high, int gone) {
        return IntStream.range(0, pods.size())
                .filter(i -> (gone & 1 << i) != 0)
                .mapToObj(pods::get)
                .allMatch(pod -> pod.mayGo && pod.priority < high.priority);
    }

    private static boolean takes(List<Low> pods, Low high, int gone, int set) {
        List<Low> all = new ArrayList<>(pods);
        all.add(new Low(high.priority, set, high.units, high.core, true));
        return IntStream.range(0, CARDS)
                .filter(card -> (set & 1 << card) != 0)
                .allMatch(card -> fits(card, all, gone));
    }

    private static Price price(List<Low> pods, int gone) {
        return Price.of(IntStream.range(0, pods.size())
                .filter(i -> (gone & 1 << i) != 0)
                .mapToObj(i -> pods.get(i).priority)
                .toList());
    }

    private static Optional<Price> found(List<Low> pods, Low high) {
        List<String> words = new ArrayList<>();
        IntStream.range(0, CARDS).forEach(card -> words.add("c" + card + "[" + UNITS + "u]"));
        for (Low pod : pods) {
            words.add(pod.text("L" + words.size()));
        }
        World world = World.of(String.join(" ", words)).withSwitch(true);
        return world.decide(high.text("H")) instanceof Place place
                ? Optional.of(Price.of(place))
                : Optional.empty();
    }
}
