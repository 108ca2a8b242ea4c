package dev.cede.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.KubeletBooks;
import dev.cede.model.Card;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Cards that kubelet gave out through the vendor's own plugin are marked in reports (B12). */
class WholeCardsTest {
    private final Node node = Node.ready();
    private final String first = node.card0().id().uuid();
    private final String second = node.card1().id().uuid();

    private void kubeletGave(Map<String, Set<String>> devices) {
        TreeMap<String, SortedSet<String>> byPod = new TreeMap<>();
        devices.forEach((pod, ids) -> byPod.put(pod, new TreeSet<>(ids)));
        node.on(new NodeEvent.KubeletRead(new KubeletBooks(List.of(), byPod)));
    }

    private static List<Map<String, Integer>> marks(Collection<Card> cards) {
        return cards.stream().<Map<String, Integer>>map(Card::wholeCardDevices).toList();
    }

    @Test
    void aCardIsMarkedWithItsPodAndOtherCardsAreNot_B12() {
        kubeletGave(Map.of("v", Set.of(second)));
        assertEquals(List.of(Map.of(), Map.of("v", 1)), marks(node.report().cards()));
    }

    @Test
    void replicasOfACardAreThatCard_B12() {
        kubeletGave(Map.of("v", Set.of(first + "::0", first + "::3"), "w", Set.of(first + "::1")));
        assertEquals(
                List.of(Map.of("v", 2, "w", 1), Map.of()), marks(node.report().cards()));
    }

    @Test
    void devicesThatAreNoCardOfTheNodeMarkNothing_B12() {
        kubeletGave(Map.of("v", Set.of("0", "MIG-1", first + "x")));
        assertEquals(List.of(Map.of(), Map.of()), marks(node.report().cards()));
    }

    @Test
    void aMarkGoesWhenKubeletDoesNotNameThePodAnyMoreAndEachChangeIsReportedOnce_B12() {
        kubeletGave(Map.of("v", Set.of(first)));
        assertTrue(node.only(NodeEffect.Publish.class).isPresent());
        kubeletGave(Map.of("v", Set.of(first)));
        assertTrue(node.only(NodeEffect.Publish.class).isEmpty());
        kubeletGave(Map.of());
        assertTrue(node.only(NodeEffect.Publish.class).isPresent());
        assertEquals(List.of(Map.of(), Map.of()), marks(node.report().cards()));
    }

    @Test
    void operatorsSeeTheMarksInTheBooksToo_B12() {
        kubeletGave(Map.of("v", Set.of(first)));
        assertEquals(
                List.of(Map.of("v", 1), Map.of()),
                marks(node.only(NodeEffect.Publish.class).orElseThrow().ledger().cardsByIndex()));
    }

    @Test
    void aReadingOfTheDriverKeepsTheMarks_B12() {
        kubeletGave(Map.of("v", Set.of(first)));
        node.readDriver();
        assertEquals(List.of(Map.of("v", 1), Map.of()), marks(node.report().cards()));
    }
}
