package dev.cede.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.testbed.kubelet.core.ContainerSpec;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A kubelet that asks for a container's resources in random order and, left alone, takes devices
 * spread over the cards.
 */
class WorstCaseKubeletTest {
    private static final int ROUNDS = 1_000;
    private static final List<Integer> UNITS = List.of(1, 2, 3, 5, 8, 13, 16, 24);
    private static final List<Integer> CORE = List.of(5, 10, 15, 20, 25);

    @Test
    void bothResourcesOfAContainerEndOnItsCardsInAThousandRounds_B02_B05_B06_A6_A8() {
        int containers = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            containers += play(seed);
        }
        assertTrue(containers > 3 * ROUNDS, "only " + containers + " containers were served");
    }

    @Test
    void aKubeletThatDoesNotAskIsRefusedAndNothingIsServedOffPlan() {
        int refused = 0;
        for (int seed = 0; seed < 50; seed++) {
            Round round = new Round(seed, false);
            for (List<Reservation> batch : round.batches(round.draw())) {
                round.bind(round.reserve(batch));
            }
            refused += (int) round.duet.statuses.values().stream()
                    .filter(status -> status.phase() == Phase.FAILED)
                    .count();
            round.verifyWhatIsServed();
        }
        assertTrue(refused > 50, "only " + refused + " pods were refused");
    }

    private static int play(long seed) {
        Round round = new Round(seed, true);
        List<Reservation> pods = round.draw();
        for (List<Reservation> batch : round.batches(round.reserve(pods))) {
            round.bind(batch);
        }
        round.verify(pods);
        return pods.stream().mapToInt(pod -> pod.shares().size()).sum();
    }

    /** One node from empty to full. */
    private static final class Round {
        private final long seed;
        private final Random random;
        private final KubeletDuet duet;
        private final TreeMap<String, Reservation> planned = new TreeMap<>();

        Round(long seed, boolean preference) {
            this.seed = seed;
            this.random = new Random(seed);
            this.duet = new KubeletDuet(seed, preference);
        }

        /** Pods of one to four containers, some over several cards, planned where there is room. */
        List<Reservation> draw() {
            TreeMap<CardId, Amount> free = new TreeMap<>();
            TreeMap<CardId, Boolean> withCore = new TreeMap<>();
            for (Card card : duet.node.cards) {
                free.put(card.id(), new Amount(64, 100));
                withCore.put(card.id(), random.nextInt(3) > 0);
            }
            List<Reservation> pods = new ArrayList<>();
            for (int pod = 0; pod < 4; pod++) {
                PodRef ref = Node.pod("p" + pod + "-" + seed);
                List<Share> shares = random.nextInt(3) == 0
                        ? spread(ref, free, withCore)
                        : single(ref, free, withCore);
                if (!shares.isEmpty()) {
                    pods.add(Node.reservation(shares.toArray(Share[]::new)));
                }
            }
            pods.forEach(pod -> planned.put(pod.pod().uid(), pod));
            return pods;
        }

        /** Each container on some card. */
        private List<Share> single(
                PodRef pod, Map<CardId, Amount> free, Map<CardId, Boolean> withCore) {
            List<Share> shares = new ArrayList<>();
            int count = 1 + random.nextInt(4);
            for (int container = 0; container < count; container++) {
                CardId card = shuffledCards().getFirst();
                shares.addAll(
                        shares(pod, "c" + container, List.of(card), free, withCore.get(card)));
            }
            return shares;
        }

        /** All containers on the same cards (A8). */
        private List<Share> spread(
                PodRef pod, Map<CardId, Amount> free, Map<CardId, Boolean> withCore) {
            boolean core = random.nextBoolean();
            List<CardId> cards = shuffledCards().stream()
                    .filter(card -> withCore.get(card) == core)
                    .limit(2 + random.nextInt(2))
                    .toList();
            List<Share> shares = new ArrayList<>();
            for (int container = random.nextInt(3); container >= 0; container--) {
                shares.addAll(shares(pod, "c" + container, cards, free, core));
            }
            return shares;
        }

        private List<CardId> shuffledCards() {
            List<CardId> cards =
                    new ArrayList<>(duet.node.cards.stream().map(Card::id).toList());
            Collections.shuffle(cards, random);
            return cards;
        }

        /** Of every card as much, or nothing. */
        private List<Share> shares(
                PodRef pod,
                String container,
                List<CardId> cards,
                Map<CardId, Amount> free,
                boolean withCore) {
            Amount each = new Amount(
                    UNITS.get(random.nextInt(UNITS.size())),
                    withCore ? CORE.get(random.nextInt(CORE.size())) : 0);
            boolean fits = cards.stream()
                    .map(free::get)
                    .allMatch(left -> left.units() >= each.units() && left.core() >= each.core());
            if (!fits) {
                return List.of();
            }
            cards.forEach(card -> free.computeIfPresent(
                    card,
                    (id, left) ->
                            new Amount(left.units() - each.units(), left.core() - each.core())));
            return cards.stream()
                    .map(card -> new Share(pod, container, card, each))
                    .toList();
        }

        /** In some order, which is returned; nothing is bound yet. */
        List<Reservation> reserve(List<Reservation> pods) {
            List<Reservation> asked = new ArrayList<>(pods);
            Collections.shuffle(asked, random);
            for (Reservation pod : asked) {
                OrderResult result = duet.node.order(1, new Order.Reserve(pod));
                assertTrue(result.done(), result.reason());
            }
            return asked;
        }

        /**
         * As a coordinator does: pods that kubelet's calls could mix up are not in flight at once,
         * and the older is bound first.
         */
        List<List<Reservation>> batches(List<Reservation> pods) {
            List<List<Reservation>> batches = new ArrayList<>();
            for (Reservation pod : pods) {
                List<Reservation> last = batches.isEmpty() ? List.of() : batches.getLast();
                if (last.isEmpty() || last.stream().anyMatch(other -> ambiguous(pod, other))) {
                    batches.add(new ArrayList<>(List.of(pod)));
                } else {
                    last.add(pod);
                }
            }
            return batches;
        }

        private static boolean ambiguous(Reservation one, Reservation other) {
            return one.byContainer().values().stream()
                    .anyMatch(a -> other.byContainer().values().stream()
                            .filter(b -> !a.keySet().equals(b.keySet()))
                            .anyMatch(b -> Arrays.stream(DeviceKind.values())
                                    .anyMatch(kind -> count(kind, a) > 0
                                            && count(kind, a) == count(kind, b))));
        }

        private static int count(DeviceKind kind, Map<CardId, Amount> parts) {
            return parts.values().stream().mapToInt(kind::countOf).sum();
        }

        void bind(List<Reservation> batch) {
            List<PodSpec> specs = new ArrayList<>();
            for (Reservation pod : batch) {
                specs.add(spec(pod, Instant.EPOCH.plusSeconds(random.nextInt(10))));
            }
            duet.bind(specs);
        }

        /** Some of the first containers are sidecars, which kubelet asks for first (A6). */
        private PodSpec spec(Reservation pod, Instant created) {
            int sidecars = random.nextInt(pod.byContainer().size());
            List<ContainerSpec> containers = new ArrayList<>();
            pod.byContainer().forEach((container, parts) -> {
                TreeMap<String, Long> limits = new TreeMap<>();
                for (DeviceKind kind : DeviceKind.values()) {
                    if (count(kind, parts) > 0) {
                        limits.put(kind.resource(), (long) count(kind, parts));
                    }
                }
                ContainerSpec app = ContainerSpec.app(container, limits);
                containers.add(containers.size() < sidecars ? app.as(Kind.SIDECAR) : app);
            });
            PodRef ref = pod.pod();
            return PodSpec.of(
                    new PodSpec.Id(ref.namespace(), ref.name(), ref.uid()), created, containers);
        }

        void verify(List<Reservation> pods) {
            for (Reservation pod : pods) {
                for (Share share : pod.shares()) {
                    assertEquals(
                            Optional.of(share),
                            Optional.ofNullable(
                                            duet.node.state.ledger().shares().get(share.key()))
                                    .map(booked -> booked.share()),
                            "seed " + seed + ", " + share.pod().name() + ": "
                                    + duet.statuses.get(share.pod().uid()));
                }
            }
            assertEquals(List.of(), duet.node.report().drifts(), "seed " + seed);
            assertEquals(List.of(), duet.node.report().reservations(), "seed " + seed);
            verifyWhatIsServed();
        }

        /** What kubelet itself holds for pods that it did not reject. */
        void verifyWhatIsServed() {
            duet.kubelet.grants().forEach((uid, containers) -> {
                if (Optional.ofNullable(duet.statuses.get(uid))
                        .filter(status -> status.phase() == Phase.FAILED)
                        .isEmpty()) {
                    containers.forEach((container, grants) -> {
                        Map<String, List<String>> ids = new TreeMap<>();
                        grants.forEach((resource, grant) -> ids.put(resource, grant.ids()));
                        verify(uid, container, ids);
                    });
                }
            });
        }

        private void verify(String uid, String container, Map<String, List<String>> ids) {
            Map<CardId, Amount> parts = planned.get(uid).byContainer().get(container);
            for (DeviceKind kind : DeviceKind.values()) {
                TreeMap<CardId, Integer> counts = new TreeMap<>();
                parts.forEach((card, amount) -> counts.put(card, kind.countOf(amount)));
                counts.values().removeIf(count -> count == 0);
                assertEquals(
                        Optional.of(counts),
                        duet.node
                                .state
                                .books()
                                .names()
                                .countByCard(kind, ids.getOrDefault(kind.resource(), List.of())),
                        "seed " + seed);
            }
        }
    }
}
