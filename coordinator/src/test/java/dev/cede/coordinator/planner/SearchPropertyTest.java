package dev.cede.coordinator.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.Decision.Place;
import dev.cede.coordinator.planner.Planner.Question;
import dev.cede.ledger.LedgerRefusal;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.Reservation;
import dev.cede.model.ShareKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What holds on any cluster, tried on drawn ones; a failure names the seed. */
final class SearchPropertyTest {
    private static final int SEEDS = 400;

    /** A drawn cluster: mostly full, priorities 0 to 3, some leaving, some over two cards. */
    private static String cluster(Random random) {
        List<String> words = new ArrayList<>();
        int nodes = 1 + random.nextInt(3);
        for (int n = 0; n < nodes; n++) {
            int cards = 1 + random.nextInt(3);
            int[] free = new int[cards];
            int[] percent = new int[cards];
            for (int c = 0; c < cards; c++) {
                free[c] = 16 + random.nextInt(48);
                words.add("n" + n + "/c" + c + "[" + free[c] + "u]");
                percent[c] = random.nextInt(3) == 0 ? 5 : 0;
            }
            for (int p = random.nextInt(cards * 5); p > 0; p--) {
                draw(random, n, p, free, percent).ifPresent(words::add);
            }
        }
        return String.join(" ", words);
    }

    private static Optional<String> draw(Random random, int n, int p, int[] free, int[] percent) {
        int card = random.nextInt(free.length);
        int other = random.nextInt(4) == 0 ? random.nextInt(free.length) : card;
        int units = 1 + random.nextInt(16);
        boolean two = other != card && percent[card] == percent[other];
        if (free[card] < units || (two && free[other] < units)) {
            return Optional.empty();
        }
        free[card] -= units;
        free[other] -= two ? units : 0;
        String where = "@n" + n + "/c" + card + (two ? "+c" + other : "");
        String state = switch (random.nextInt(8)) {
            case 0 -> ",leaving=" + random.nextInt(120);
            case 1 -> ",reserved";
            case 2 -> ",preemptable=false";
            default -> "";
        };
        boolean spread = two && percent[card] == 0 && random.nextBoolean();
        String amount =
                spread ? 2 * units + "u,cards=2" : units + "u" + (two ? "+" + units + "u" : "");
        return Optional.of("V" + n + "x" + p + "(p" + random.nextInt(4) + "," + amount
                + (percent[card] == 0 ? "" : "," + percent[card] + "%") + state + ")" + where);
    }

    /** Half of the workloads are alike pods, as a controller makes them. */
    private static String[] asks(Random random, int most) {
        String[] asks = new String[1 + random.nextInt(most)];
        boolean alike = random.nextBoolean();
        String first = ask(random);
        for (int i = 0; i < asks.length; i++) {
            asks[i] = "H" + i + (alike ? first : ask(random));
        }
        return asks;
    }

    private static String ask(Random random) {
        if (random.nextInt(4) == 0) {
            int cards = 2 + random.nextInt(2);
            return "(p" + (1 + random.nextInt(4)) + "," + cards * (1 + random.nextInt(30)) + "u"
                    + (random.nextInt(3) == 0 ? "," + cards * 5 + "%" : "") + ",cards=" + cards
                    + ")";
        }
        return "(p" + (1 + random.nextInt(4)) + "," + (1 + random.nextInt(40)) + "u"
                + (random.nextInt(4) == 0 ? "+" + (1 + random.nextInt(20)) + "u" : "")
                + (random.nextInt(3) == 0 ? ",5%" : "") + ")";
    }

    private static World world(Random random) {
        return World.of(cluster(random)).withSwitch(random.nextBoolean());
    }

    @Test
    void agentsTakeEveryReservationOfEveryPlan_B6() {
        int plans = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = world(random);
            if (world.decide(asks(random, 4)) instanceof Place place) {
                assertTaken(seed, world, place);
                plans++;
            }
        }
        assertTrue(plans > SEEDS / 4, "only " + plans + " plans");
    }

    /** All holds are taken, and once everyone has left, nothing is over capacity. */
    private static void assertTaken(int seed, World world, Place place) {
        SortedMap<String, NodeLedger> books = new TreeMap<>();
        for (Placement placement : place.placements()) {
            NodeLedger ledger = books.computeIfAbsent(placement.node(), world::ledger);
            Reservation asked = reservation(placement);
            Optional<LedgerRefusal> refusal = ledger.refusal(asked);
            assertEquals(Optional.empty(), refusal, () -> "seed " + seed + ": " + asked);
            books.put(placement.node(), ledger.with(asked));
        }
        books.forEach((node, ledger) -> {
            NodeLedger after = ledger;
            for (Placement placement : place.placements()) {
                for (ShareKey key : placement.behind()) {
                    after = after.free(key).without(key.podUid());
                }
            }
            for (CardId card : after.cards().keySet()) {
                assertTrue(after.books(card).withinCapacity(), "seed " + seed + " " + card);
            }
        });
    }

    private static Reservation reservation(Placement placement) {
        return new Reservation(
                placement.pod(), placement.shares(), placement.behind(), new Epoch(1), "plan-1");
    }

    @Test
    void noVictimIsUselessAndNoneIsHighOrProtected_E6_C2() {
        int victims = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            victims += assertNoneUseless(seed, world(random), asks(random, 3));
            victims += assertNoneUseless(seed, World.of(fullCard(random)), alike(random));
        }
        assertTrue(victims > 100, "only " + victims + " victims");
    }

    /** Pods of one priority on every unit of one card. */
    private static String fullCard(Random random) {
        List<String> words = new ArrayList<>(List.of("c0[64u]"));
        for (int left = 64; left > 0; ) {
            int units = Math.min(left, 4 + random.nextInt(40));
            words.add("V" + left + "(p0," + units + "u)@c0");
            left -= units;
        }
        return String.join(" ", words);
    }

    private static String[] alike(Random random) {
        String ask = "(p1," + (4 + random.nextInt(20)) + "u)";
        return new String[] {"G" + ask, "H" + ask};
    }

    private static int assertNoneUseless(int seed, World world, String[] asks) {
        Question question = world.question(asks);
        if (!(Planner.decide(question) instanceof Place place)) {
            return 0;
        }
        for (Victim victim : place.victims()) {
            assertLegal(seed, question, victim);
            assertNeeded(seed, world, place, victim);
        }
        return place.victims().size();
    }

    private static void assertLegal(int seed, Question question, Victim victim) {
        int highest =
                question.pods().stream().mapToInt(PodFacts::priority).max().orElseThrow();
        assertTrue(victim.pod().priority() < highest, "seed " + seed + ": " + victim);
        assertTrue(victim.pod().annotations().isEmpty(), "seed " + seed + ": " + victim);
        assertFalse(victim.pod().terminating(), "seed " + seed + ": " + victim);
    }

    /** With this one staying and all others gone, the places do not fit any more. */
    private static void assertNeeded(int seed, World world, Place place, Victim spared) {
        NodeLedger ledger = world.ledger(spared.node());
        for (Placement placement : place.placements()) {
            for (ShareKey key : placement.behind()) {
                if (!key.podUid().equals(spared.pod().uid())) {
                    ledger = ledger.free(key).without(key.podUid());
                }
            }
        }
        for (Victim victim : place.victims()) {
            if (!victim.equals(spared)) {
                ledger = ledger.freePod(victim.pod().uid()).without(victim.pod().uid());
            }
        }
        boolean fits = true;
        for (Placement placement : place.placements()) {
            if (placement.node().equals(spared.node())) {
                Reservation plain = reservation(placement).withBehind(new TreeSet<>());
                fits &= ledger.refusal(plain).isEmpty();
                ledger = ledger.with(plain);
            }
        }
        assertFalse(fits, "seed " + seed + ": useless " + spared.pod().ref());
    }

    @Test
    void theOrderOfCreationChangesNothing_K01() {
        List<String> words = new ArrayList<>();
        for (int card = 0; card < 8; card++) {
            words.add("c" + card + "[64u]");
            words.add("A" + card + "(p0,32u)@c" + card);
            words.add("B" + card + "(p0,32u)@c" + card);
        }
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(words, new Random(seed));
            assertEquals(
                    "H@n0/c0 after A0+B0, evicting A0 B0",
                    World.of(String.join(" ", words)).plan("H(p9,64u)"),
                    "seed " + seed);
        }
        String two = "n0/c0[64u] n0/c1[64u] n1/c0[64u] n1/c1[64u] A(p0,32u)@n0/c0 B(p0,32u)@n0/c0"
                + " C(p0,32u)@n0/c1 D(p0,32u)@n0/c1 E(p0,32u)@n1/c0 F(p0,32u)@n1/c0"
                + " G(p0,32u)@n1/c1 I(p0,32u)@n1/c1";
        assertEquals("H@n0/c0 after A+B, evicting A B", World.of(two).plan("H(p9,64u)"));
    }

    @Test
    void theOrderOfCreationChangesNothingOnDrawnClusters_K01() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<String> words = new ArrayList<>(Arrays.asList(cluster(random).split(" ", -1)));
            String[] asks = asks(random, 2);
            String plan = World.of(String.join(" ", words)).withSwitch(true).plan(asks);
            Collections.shuffle(words, random);
            assertEquals(
                    plan,
                    World.of(String.join(" ", words)).withSwitch(true).plan(asks),
                    "seed " + seed);
        }
    }

    @Test
    void undoneAttemptsLeaveTheBooksAsTheyWere_K03() {
        int undone = 0;
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            World world = world(random);
            Question question = world.question(asks(random, 4));
            String before = books(question);
            String first = Planner.decide(question).toString();
            assertEquals(before, books(question), "seed " + seed);
            undone += first.startsWith("NoRoom") ? 1 : 0;
        }
        assertTrue(undone > 100, "only " + undone + " undone");
    }

    private static String books(Question question) {
        return question.nodes().values().stream()
                .map(node -> node.ledger().toString())
                .collect(Collectors.joining("\n"));
    }
}
