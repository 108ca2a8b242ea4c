package dev.cede.deviceplugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeviceNamesTest {
    private static final CardId A = new CardId("GPU-8dcd427f-1111-0000-0000-000000000000");
    private static final CardId TWIN = new CardId("GPU-8dcd427f-1112-0000-0000-000000000000");

    @Test
    void eightDigitsAreEnoughForOneCard() {
        assertEquals(
                "8dcd427f",
                DeviceNames.none().with(List.of(A), Set.of()).prefixes().get(A));
    }

    @Test
    void cardsThatBeginAlikeGetLongerPrefixes() {
        DeviceNames names = DeviceNames.none().with(List.of(A, TWIN), Set.of());
        assertEquals("8dcd427f1111", names.prefixes().get(A));
        assertEquals("8dcd427f1112", names.prefixes().get(TWIN));
    }

    @Test
    void aCardInUseKeepsItsPrefixWhenATwinArrives() {
        DeviceNames before = DeviceNames.none().with(List.of(A), Set.of());
        DeviceNames after = before.with(List.of(A, TWIN), Set.of(A));
        assertEquals("8dcd427f", after.prefixes().get(A));
        assertEquals("8dcd427f1112", after.prefixes().get(TWIN));
        assertEquals(Optional.of(A), after.cardOf(DeviceKind.MEMORY, "8dcd427f-m0007"));
        assertEquals(Optional.of(TWIN), after.cardOf(DeviceKind.CORE, "8dcd427f1112-c07"));
    }

    @Test
    void aCardInUseThatIsGoneIsStillNamed() {
        DeviceNames names =
                DeviceNames.none().with(List.of(A), Set.of()).with(List.of(), Set.of(A));
        assertEquals(Optional.of(A), names.cardOf(DeviceKind.MEMORY, "8dcd427f-m0000"));
    }

    @Test
    void namesOfOneResourceAreNotNamesOfTheOther() {
        DeviceNames names = DeviceNames.none().with(List.of(A), Set.of());
        assertEquals(Optional.empty(), names.cardOf(DeviceKind.CORE, "8dcd427f-m0007"));
        assertEquals(Optional.empty(), names.cardOf(DeviceKind.MEMORY, "8dcd427f-m7"));
    }

    @Test
    void listsOfLargeNodesStayBelowKubeletsLimitAndLargerOnesAreRefused_B29() {
        assertTrue(bytes(nodeOf(8, 143_771)) < DeviceLists.KUBELET_RECEIVE_LIMIT);
        assertTrue(bytes(nodeOf(16, 288 << 10)) < DeviceLists.KUBELET_RECEIVE_LIMIT);
        List<Card> huge = nodeOf(80, 288 << 10);
        String message =
                assertThrows(IllegalArgumentException.class, () -> lists(huge)).getMessage();
        assertTrue(message.contains("184320 devices"), message);
        assertTrue(message.contains("4194304"), message);
    }

    private static int bytes(List<Card> cards) {
        return DeviceLists.message(lists(cards).byKind().get(DeviceKind.MEMORY))
                .getSerializedSize();
    }

    private static DeviceLists lists(List<Card> cards) {
        return DeviceLists.of(
                cards, DeviceNames.none().with(cards.stream().map(Card::id).toList(), Set.of()));
    }

    private static List<Card> nodeOf(int cards, int mib) {
        return IntStream.range(0, cards)
                .mapToObj(index -> new Card(
                        new CardId(String.format(
                                java.util.Locale.ROOT, "GPU-%08x-0000-0000-0000-0", index)),
                        index,
                        index,
                        "model",
                        (long) mib << 20,
                        0,
                        CardHealth.HEALTHY,
                        "",
                        0))
                .toList();
    }
}
