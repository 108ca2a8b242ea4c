package dev.cede.deviceplugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.Choice.Chosen;
import dev.cede.deviceplugin.Choice.Refused;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.PodRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SteeringTest {
    private static final Card C0 = card(0, "GPU-aaaaaaaa-0000-0000-0000-000000000000");
    private static final Card C1 = card(1, "GPU-bbbbbbbb-0000-0000-0000-000000000000");
    private static final DeviceNames NAMES =
            DeviceNames.none().with(List.of(C0.id(), C1.id()), Set.of());
    private static final CallContext PLAIN = new CallContext(Set.of(), List.of(), 0);

    static Card card(int index, String uuid) {
        return new Card(
                new CardId(uuid), index, index, "model", 8192L << 20, 0, CardHealth.HEALTHY, "", 0);
    }

    private static Expected expect(String pod, String container, Card card, int units, int core) {
        return expect(pod, container, List.of(card), units, core);
    }

    /** So much of each of the cards. */
    private static Expected expect(
            String pod, String container, List<Card> cards, int units, int core) {
        TreeMap<CardId, Amount> parts = new TreeMap<>();
        cards.forEach(card -> parts.put(card.id(), new Amount(units, core)));
        return new Expected(new PodRef("default", pod, "uid-" + pod), container, parts);
    }

    private static Steering expecting(Expected... containers) {
        return Steering.none().expecting(NAMES, List.of(containers));
    }

    private static List<String> ids(Card card, DeviceKind kind, int from, int count) {
        return NAMES.devices(card, kind).subList(from, from + count);
    }

    private static Offer everything(DeviceKind kind, int size) {
        List<String> all = new ArrayList<>(NAMES.devices(C1, kind));
        all.addAll(NAMES.devices(C0, kind));
        return new Offer(all, List.of(), size);
    }

    private static List<String> preferred(Steering steering, DeviceKind kind, int size) {
        Choice choice = steering.prefer(kind, List.of(everything(kind, size)), PLAIN);
        return assertInstanceOf(Chosen.class, choice).ids().getFirst();
    }

    private static Steering allocated(Steering steering, DeviceKind kind, List<String> ids) {
        Choice choice = steering.allocate(kind, List.of(ids), PLAIN);
        return assertInstanceOf(Chosen.class, choice, choice.toString()).next();
    }

    private static String refusal(Choice choice) {
        return assertInstanceOf(Refused.class, choice, choice.toString()).reason();
    }

    private static CardId cardOf(DeviceKind kind, List<String> ids) {
        TreeSet<CardId> cards = new TreeSet<>();
        ids.forEach(id -> cards.add(NAMES.cardOf(kind, id).orElseThrow()));
        assertEquals(1, cards.size(), "devices of " + cards);
        return cards.first();
    }

    @Test
    void exactlyAsManyDevicesOfTheReservedCardArePreferred_B05() {
        List<String> ids = preferred(expecting(expect("p", "a", C0, 16, 0)), DeviceKind.MEMORY, 16);
        assertEquals(ids(C0, DeviceKind.MEMORY, 0, 16), ids);
    }

    @Test
    void devicesOfAnotherCardAreRefusedWithBothCardsNamed_B05() {
        Steering steering = expecting(expect("p", "a", C0, 16, 0));
        String reason = refusal(steering.allocate(
                DeviceKind.MEMORY, List.of(ids(C1, DeviceKind.MEMORY, 0, 16)), PLAIN));
        assertTrue(reason.contains(C0.id().uuid()), reason);
        assertTrue(reason.contains(C1.id().uuid()), reason);
    }

    @Test
    void devicesOverTwoCardsAreRefused() {
        Steering steering = expecting(expect("p", "a", C0, 16, 0));
        List<String> mixed = new ArrayList<>(ids(C0, DeviceKind.MEMORY, 0, 15));
        mixed.addAll(ids(C1, DeviceKind.MEMORY, 0, 1));
        refusal(steering.allocate(DeviceKind.MEMORY, List.of(mixed), PLAIN));
    }

    @Test
    void twoPodsOfDifferentSizesKeepTheirOwnWhateverTheOrder_B01_B02() {
        Steering steering = expecting(expect("p1", "a", C0, 60, 0), expect("p2", "a", C1, 5, 0));
        List<String> second = preferred(steering, DeviceKind.MEMORY, 5);
        assertEquals(C1.id(), cardOf(DeviceKind.MEMORY, second));
        Steering after = allocated(steering, DeviceKind.MEMORY, second);
        List<String> first = preferred(after, DeviceKind.MEMORY, 60);
        assertEquals(C0.id(), cardOf(DeviceKind.MEMORY, first));
        Steering end = allocated(after, DeviceKind.MEMORY, first);
        assertEquals(
                List.of("uid-p2", "uid-p1"),
                end.given().stream().map(Given::podUid).toList());
    }

    @Test
    void containersOfOnePodAreFoundInEitherOrder_B06() {
        Steering steering = expecting(expect("p", "a", C0, 8, 0), expect("p", "b", C0, 16, 0));
        Steering b =
                allocated(steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, 16));
        Steering both = allocated(b, DeviceKind.MEMORY, preferred(b, DeviceKind.MEMORY, 8));
        assertEquals(
                List.of("b", "a"), both.given().stream().map(Given::container).toList());
    }

    @Test
    void oneCallForTwoContainersServesBoth_B06() {
        Steering steering = expecting(expect("p", "a", C0, 8, 10), expect("p", "b", C1, 16, 20));
        Choice preferred = steering.prefer(
                DeviceKind.MEMORY,
                List.of(everything(DeviceKind.MEMORY, 8), everything(DeviceKind.MEMORY, 16)),
                PLAIN);
        List<List<String>> memory = assertInstanceOf(Chosen.class, preferred).ids();
        Choice granted = steering.allocate(DeviceKind.MEMORY, memory, PLAIN);
        Steering next = assertInstanceOf(Chosen.class, granted).next();
        Choice core = next.prefer(
                DeviceKind.CORE,
                List.of(everything(DeviceKind.CORE, 10), everything(DeviceKind.CORE, 20)),
                PLAIN);
        List<List<String>> ids = assertInstanceOf(Chosen.class, core).ids();
        assertEquals(C0.id(), cardOf(DeviceKind.CORE, ids.get(0)));
        assertEquals(C1.id(), cardOf(DeviceKind.CORE, ids.get(1)));
        assertInstanceOf(Chosen.class, next.allocate(DeviceKind.CORE, ids, PLAIN));
    }

    @Test
    void equalContainersInOneCallGetDifferentDevices_B06() {
        Steering steering = expecting(expect("p", "a", C0, 8, 0), expect("p", "b", C0, 8, 0));
        Choice choice = steering.prefer(
                DeviceKind.MEMORY,
                List.of(everything(DeviceKind.MEMORY, 8), everything(DeviceKind.MEMORY, 8)),
                PLAIN);
        List<List<String>> ids = assertInstanceOf(Chosen.class, choice).ids();
        assertEquals(ids(C0, DeviceKind.MEMORY, 0, 8), ids.get(0));
        assertEquals(ids(C0, DeviceKind.MEMORY, 8, 8), ids.get(1));
    }

    @Test
    void theOtherResourceFollowsToTheSameCardInEitherOrder() {
        Steering steering = expecting(expect("p", "a", C0, 16, 30), expect("q", "a", C1, 8, 30));
        for (DeviceKind first : DeviceKind.values()) {
            int size = first == DeviceKind.MEMORY ? 8 : 30;
            Steering after = allocated(steering, first, preferred(steering, first, size));
            CardId card = after.given().getFirst().counts().firstKey();
            int other = first == DeviceKind.MEMORY ? 30 : 16;
            assertEquals(
                    card,
                    cardOf(first.counterpart(), preferred(after, first.counterpart(), other)));
        }
    }

    @Test
    void theOtherCallTellsWhichOfTwoEqualSizesTheFirstWasFor() {
        Steering steering = expecting(expect("p", "a", C0, 16, 30), expect("q", "a", C0, 16, 50));
        Steering memory =
                allocated(steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, 16));
        assertEquals("uid-p", memory.given().getFirst().podUid());
        Steering core = allocated(memory, DeviceKind.CORE, preferred(memory, DeviceKind.CORE, 50));
        assertEquals(
                List.of("uid-q", "uid-q"),
                core.given().stream().map(Given::podUid).toList());
    }

    private static List<String> both(DeviceKind kind, int from, int ofC0, int ofC1) {
        List<String> ids = new ArrayList<>(ids(C0, kind, from, ofC0));
        ids.addAll(ids(C1, kind, from, ofC1));
        return ids;
    }

    @Test
    void aContainerOfTwoCardsGetsAsManyDevicesOfEachForBothResourcesInEitherOrder_A8() {
        Steering steering =
                expecting(expect("p", "a", List.of(C0, C1), 8, 15), expect("q", "a", C1, 7, 10));
        for (DeviceKind first : DeviceKind.values()) {
            Steering after = steering;
            for (DeviceKind kind : List.of(first, first.counterpart())) {
                int each = kind == DeviceKind.MEMORY ? 8 : 15;
                List<String> ids = preferred(after, kind, 2 * each);
                assertEquals(both(kind, 0, each, each), ids);
                after = allocated(after, kind, ids);
            }
            assertEquals(
                    List.of("uid-p", "uid-p"),
                    after.given().stream().map(Given::podUid).toList());
        }
    }

    @Test
    void anyOtherMixtureOfTheCardsIsRefused_A8() {
        Steering steering = expecting(expect("p", "a", List.of(C0, C1), 8, 0));
        for (int ofC0 : List.of(0, 7, 9, 16)) {
            refusal(steering.allocate(
                    DeviceKind.MEMORY,
                    List.of(both(DeviceKind.MEMORY, 0, ofC0, 16 - ofC0)),
                    PLAIN));
        }
        allocated(steering, DeviceKind.MEMORY, both(DeviceKind.MEMORY, 3, 8, 8));
    }

    @Test
    void theSecondResourceOfAContainerOfTwoCardsIsNotTakenFromOne_A8() {
        Steering steering =
                expecting(expect("p", "a", List.of(C0, C1), 8, 10), expect("q", "a", C0, 7, 20));
        Steering memory =
                allocated(steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, 16));
        assertEquals(both(DeviceKind.CORE, 0, 10, 10), preferred(memory, DeviceKind.CORE, 20));
        String reason = refusal(
                memory.allocate(DeviceKind.CORE, List.of(ids(C0, DeviceKind.CORE, 0, 20)), PLAIN));
        assertTrue(reason.contains(C0.id() + ", " + C1.id() + "] is reserved"), reason);
    }

    @Test
    void aContainerIsRefusedRatherThanSplitOverTwoCards() {
        Steering steering = expecting(expect("p", "a", C0, 16, 30), expect("q", "a", C1, 16, 50));
        Steering memory =
                allocated(steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, 16));
        String reason = refusal(
                memory.prefer(DeviceKind.CORE, List.of(everything(DeviceKind.CORE, 50)), PLAIN));
        assertTrue(reason.contains(C0.id().uuid()), reason);
    }

    @Test
    void devicesThatALiveContainerHoldsAreRefusedAndNotPreferred() {
        Steering steering = expecting(expect("p", "a", C0, 2, 0));
        CallContext held =
                new CallContext(Set.copyOf(ids(C0, DeviceKind.MEMORY, 0, 3)), List.of(), 0);
        Choice preferred =
                steering.prefer(DeviceKind.MEMORY, List.of(everything(DeviceKind.MEMORY, 2)), held);
        assertEquals(
                List.of(ids(C0, DeviceKind.MEMORY, 3, 2)),
                assertInstanceOf(Chosen.class, preferred).ids());
        String reason = refusal(steering.allocate(
                DeviceKind.MEMORY, List.of(ids(C0, DeviceKind.MEMORY, 2, 2)), held));
        assertTrue(reason.contains("aaaaaaaa-m0002"), reason);
    }

    @Test
    void devicesOfAnInitContainerAreIncluded() {
        Steering steering = expecting(expect("p", "a", C0, 4, 0));
        List<String> must = ids(C0, DeviceKind.MEMORY, 7, 2);
        Choice choice = steering.prefer(
                DeviceKind.MEMORY,
                List.of(new Offer(NAMES.devices(C0, DeviceKind.MEMORY), must, 4)),
                PLAIN);
        List<String> ids = assertInstanceOf(Chosen.class, choice).ids().getFirst();
        assertEquals(4, ids.size());
        assertTrue(ids.containsAll(must), ids.toString());
    }

    @Test
    void aMustOfAnotherCardIsRefused() {
        Steering steering = expecting(expect("p", "a", C0, 4, 0));
        refusal(steering.prefer(
                DeviceKind.MEMORY,
                List.of(new Offer(
                        NAMES.devices(C0, DeviceKind.MEMORY), ids(C1, DeviceKind.MEMORY, 0, 1), 4)),
                PLAIN));
    }

    @Test
    void tooFewOfferedDevicesAreSaid() {
        Steering steering = expecting(expect("p", "a", C0, 4, 0));
        String reason = refusal(steering.prefer(
                DeviceKind.MEMORY,
                List.of(new Offer(ids(C0, DeviceKind.MEMORY, 0, 3), List.of(), 4)),
                PLAIN));
        assertTrue(reason.contains("1 too few"), reason);
    }

    @Test
    void whatNobodyReservedIsRefused_A7() {
        String reason = refusal(expecting()
                .prefer(DeviceKind.MEMORY, List.of(everything(DeviceKind.MEMORY, 4)), PLAIN));
        assertTrue(reason.contains("no reservation"), reason);
    }

    @Test
    void whatNobodyReservedIsPlacedOnOneCardWherePlacingIsConfigured_A7() {
        CallContext place = new CallContext(Set.of(), List.of(C1.id(), C0.id()), 0);
        Choice memory = expecting()
                .prefer(DeviceKind.MEMORY, List.of(everything(DeviceKind.MEMORY, 4)), place);
        List<String> ids = assertInstanceOf(Chosen.class, memory).ids().getFirst();
        assertEquals(C1.id(), cardOf(DeviceKind.MEMORY, ids));
        Choice granted = expecting().allocate(DeviceKind.MEMORY, List.of(ids), place);
        Steering next = assertInstanceOf(Chosen.class, granted).next();
        Choice core = next.prefer(
                DeviceKind.CORE,
                List.of(everything(DeviceKind.CORE, 20)),
                new CallContext(Set.of(), List.of(C0.id(), C1.id()), 1));
        assertEquals(
                C1.id(),
                cardOf(
                        DeviceKind.CORE,
                        assertInstanceOf(Chosen.class, core).ids().getFirst()));
    }

    @Test
    void aContainerServedOnceIsNotServedAgain() {
        Steering steering = expecting(expect("p", "a", C0, 4, 0));
        Steering after =
                allocated(steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, 4));
        refusal(after.prefer(DeviceKind.MEMORY, List.of(everything(DeviceKind.MEMORY, 4)), PLAIN));
    }

    @Test
    void devicesOfNoCardAreRefused() {
        Steering steering = expecting(expect("p", "a", C0, 1, 0));
        for (String id : List.of("cccccccc-m0000", "aaaaaaaa-c00", "nonsense", "")) {
            String reason =
                    refusal(steering.allocate(DeviceKind.MEMORY, List.of(List.of(id)), PLAIN));
            assertTrue(reason.contains("does not have"), reason);
        }
    }

    @Test
    void twoHundredRandomOrdersSwapNobodysLimits_B02() {
        java.util.Random random = new java.util.Random(2);
        for (int round = 0; round < 200; round++) {
            Steering steering =
                    expecting(expect("p1", "a", C0, 60, 0), expect("p2", "a", C1, 5, 0));
            List<Integer> order = random.nextBoolean() ? List.of(60, 5) : List.of(5, 60);
            for (int size : order) {
                steering = allocated(
                        steering, DeviceKind.MEMORY, preferred(steering, DeviceKind.MEMORY, size));
            }
            for (Given given : steering.given()) {
                assertEquals(
                        given.podUid().equals("uid-p1") ? 60 : 5, given.ids().size());
            }
        }
    }

    @Test
    void aListOfManyCardsIsExactAndInOrder() {
        assertEquals(
                IntStream.range(0, 64)
                        .mapToObj(n -> String.format(java.util.Locale.ROOT, "aaaaaaaa-m%04d", n))
                        .toList(),
                NAMES.devices(C0, DeviceKind.MEMORY));
        assertEquals(100, NAMES.devices(C0, DeviceKind.CORE).size());
    }
}
