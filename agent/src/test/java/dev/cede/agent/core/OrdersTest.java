package dev.cede.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.OrderResult.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrdersTest {
    private final Node node = Node.ready();

    @Test
    void aReservationIsOnDiskBeforeItIsAcknowledged() {
        assertTrue(node.reserve(Node.share("p", "a", node.card0(), 16, 0)).done());
        NodeEffect.Save save = assertInstanceOf(NodeEffect.Save.class, node.last.getFirst());
        assertEquals(1, save.checkpoint().reservations().size());
        assertEquals(1, node.report().reservations().size());
    }

    @Test
    void B72_anOrderOfAnOlderEpochIsRefusedAndChangesNothing() {
        node.order(7, new Order.Welcome(List.of(), List.of()));
        OrderResult result = node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        assertEquals(Refusal.STALE_EPOCH, result.refusal());
        assertEquals(List.of(), node.report().reservations());
        assertEquals(new Epoch(7), node.report().highestEpoch());
    }

    @Test
    void theHighestEpochIsOnDiskBeforeItIsObeyed() {
        node.order(7, new Order.Welcome(List.of(), List.of()));
        NodeEffect.Save save = assertInstanceOf(NodeEffect.Save.class, node.last.getFirst());
        assertEquals(new Epoch(7), save.checkpoint().highestEpoch());
    }

    @Test
    void B72_anOlderEpochIsRefusedAfterARestartToo() {
        node.order(7, new Order.Welcome(List.of(), List.of()));
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        OrderResult result = node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        assertEquals(Refusal.STALE_EPOCH, result.refusal());
    }

    @Test
    void aDoubledOrderIsAnsweredAlikeAndDoneOnce() {
        Order reserve =
                new Order.Reserve(Node.reservation(Node.share("p", "a", node.card0(), 40, 0)));
        OrderResult first = node.order(1, "same", reserve);
        NodeState after = node.state;
        OrderResult second = node.order(1, "same", reserve);
        assertEquals(first, second);
        assertEquals(after.books(), node.state.books());
    }

    @Test
    void aCardWithoutRoomIsRefusedWithBothFigures() {
        node.reserve(Node.share("p", "a", node.card0(), 40, 0));
        OrderResult result = node.reserve(Node.share("q", "a", node.card0(), 40, 0));
        assertEquals(Refusal.NO_ROOM, result.refusal());
        assertEquals("c0 would hold 80 units of 64", result.reason());
    }

    @Test
    void anUnknownCardIsRefused() {
        OrderResult result = node.reserve(Node.share("q", "a", Node.card(9), 40, 0));
        assertEquals(Refusal.UNKNOWN_CARD, result.refusal());
    }

    @Test
    void aWelcomeKeepsTheWantedAndDropsTheRest() {
        node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        node.reserve(Node.share("q", "a", node.card0(), 16, 0));
        node.order(
                2,
                new Order.Welcome(
                        List.of(
                                Node.reservation(Node.share("q", "a", node.card0(), 16, 0)),
                                Node.reservation(Node.share("r", "a", node.card1(), 16, 0))),
                        List.of()));
        assertEquals(
                List.of("q", "r"),
                node.report().reservations().stream().map(r -> r.pod().name()).toList());
    }

    @Test
    void aWelcomeDropsNothingThatKubeletWasGiven() {
        node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        node.take(DeviceKind.MEMORY, 16);
        node.order(2, new Order.Welcome(List.of(), List.of()));
        assertEquals(1, node.report().reservations().size());
        assertEquals(
                Refusal.ALREADY_ALLOCATED,
                node.order(2, new Order.Drop("uid-p")).refusal());
    }

    @Test
    void aDroppedReservationIsNotServedAnyMore() {
        node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        assertTrue(node.order(1, new Order.Drop("uid-p")).done());
        node.allocate(DeviceKind.MEMORY, node.ids(node.card0(), DeviceKind.MEMORY, 0, 16));
        assertTrue(node.only(NodeEffect.RefuseCall.class).isPresent());
        assertTrue(node.only(NodeEffect.SendRefused.class).isPresent());
    }

    /** Kubelet gives the pod up: what comes next is another one's. */
    @Test
    void aRefusedCallLeavesNothingToBeCompleted() {
        node.reserve(Node.share("p", "main", node.card0(), 16, 30));
        node.reserve(Node.share("q", "main", node.card1(), 16, 50));
        node.take(DeviceKind.MEMORY, 16);
        node.allocate(DeviceKind.CORE, node.ids(node.card0(), DeviceKind.CORE, 0, 40));
        assertTrue(node.only(NodeEffect.RefuseCall.class).isPresent());
        assertEquals(
                node.ids(node.card1(), DeviceKind.CORE, 0, 50), node.take(DeviceKind.CORE, 50));
        assertTrue(node.order(1, new Order.Drop("uid-p")).done());
    }

    @Test
    void aHoldIsNotServedUntilWhatItWaitsForIsFree() {
        node.running("low", node.card0(), 64);
        var behind = Node.share("low", "main", node.card0(), 64, 0).key();
        node.order(
                1,
                new Order.Reserve(
                        Node.hold(behind, Node.share("high", "main", node.card0(), 64, 50))));
        node.allocate(DeviceKind.MEMORY, node.ids(node.card0(), DeviceKind.MEMORY, 0, 64));
        assertTrue(node.only(NodeEffect.RefuseCall.class).isPresent());
        node.order(1, new Order.Free(Node.pod("low")));
        node.readDriver();
        node.take(DeviceKind.MEMORY, 64);
    }

    /** Kubelet may be about to ask for the others, which are bound. */
    @Test
    void aHoldThatStopsBeingOneIsTheYoungestReservation() {
        node.running("low", node.card0(), 64);
        var behind = Node.share("low", "main", node.card0(), 64, 0).key();
        node.order(
                1,
                new Order.Reserve(
                        Node.hold(behind, Node.share("high", "main", node.card0(), 16, 50))));
        node.reserve(Node.share("q", "main", node.card1(), 16, 0));
        node.order(1, new Order.Free(Node.pod("low")));
        node.readDriver();
        assertEquals(List.of("uid-q", "uid-high"), node.state.books().order());
        List<String> ids = node.take(DeviceKind.MEMORY, 16);
        assertEquals(node.ids(node.card1(), DeviceKind.MEMORY, 0, 16), ids);
    }

    @Test
    void aMovedHoldBelongsToTheOtherPod() {
        node.running("low", node.card0(), 64);
        var behind = Node.share("low", "main", node.card0(), 64, 0).key();
        node.order(
                1,
                new Order.Reserve(
                        Node.hold(behind, Node.share("h1", "main", node.card0(), 64, 0))));
        OrderResult moved = node.order(
                1,
                new Order.Move(
                        "uid-h1",
                        Node.hold(behind, Node.share("h2", "main", node.card0(), 64, 0))));
        assertTrue(moved.done(), moved.reason());
        assertEquals(
                List.of("h2"),
                node.report().reservations().stream().map(r -> r.pod().name()).toList());
    }

    @Test
    void whatIsNotReservedCannotBeMoved() {
        OrderResult moved = node.order(
                1,
                new Order.Move(
                        "uid-x", Node.reservation(Node.share("y", "m", node.card0(), 1, 0))));
        assertEquals(Refusal.UNKNOWN_RESERVATION, moved.refusal());
    }

    @Test
    void reservationsStayInTheirOrderOverARestart() {
        for (String pod : List.of("z", "m", "a")) {
            node.reserve(Node.share(pod, "main", node.card0(), 8, 0));
        }
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        node.order(
                1,
                new Order.Welcome(
                        List.of("a", "m", "z").stream()
                                .map(pod -> Node.reservation(
                                        Node.share(pod, "main", node.card0(), 8, 0)))
                                .toList(),
                        List.of()));
        assertEquals(List.of("uid-z", "uid-m", "uid-a"), node.state.books().order());
    }

    @Test
    void bindsAreTakenOnlyWhileKubeletListensAndTheWelcomeIsTaken() {
        assertTrue(node.report().takesBinds(), node.report().takesBindsReason());
        node.on(new NodeEvent.Listening(DeviceKind.CORE, false));
        assertFalse(node.report().takesBinds());
        node.on(new NodeEvent.Listening(DeviceKind.CORE, true));
        assertTrue(node.report().takesBinds());
        node.order(2, new Order.Drop("uid-x"));
        assertFalse(node.report().takesBinds());
        node.order(2, new Order.Welcome(List.of(), List.of()));
        assertTrue(node.report().takesBinds());
        node.on(new NodeEvent.Disconnected());
        assertFalse(node.report().takesBinds());
    }

    @Test
    void aKubeletThatWasRestartedTakesNoBindsForTenSecondsWhereDevicesAreGivenOut() {
        node.on(new NodeEvent.KubeletStarted(0));
        assertTrue(node.report().takesBinds());
        node.running("p", node.card0(), 8);
        node.on(new NodeEvent.KubeletStarted(0));
        assertFalse(node.report().takesBinds());
        node.later(9_999);
        assertFalse(node.report().takesBinds());
        node.later(1);
        assertTrue(node.report().takesBinds());
    }

    @Test
    void whatKubeletWasGrantedAndLostAtItsRestartIsGrantedAgain() {
        node.reserve(Node.share("p", "main", node.card0(), 16, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 16);
        node.kubeletSays();
        node.now += 500;
        node.on(new NodeEvent.KubeletStarted(10));
        assertTrue(node.only(NodeEffect.ReadKubelet.class).isPresent());
        node.kubeletSays();
        assertEquals(ids, node.take(DeviceKind.MEMORY, 16));
    }

    @Test
    void whatTheAgentGrantedAndDidNotAnswerBeforeItEndedIsGrantedAgain() {
        node.reserve(Node.share("p", "main", node.card0(), 16, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 16);
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        node.readDriver();
        node.now += 500;
        node.on(new NodeEvent.KubeletStarted(60_000));
        node.now += 501;
        node.kubeletSays();
        assertEquals(ids, node.take(DeviceKind.MEMORY, 16));
    }

    @Test
    void anAgentThatIsRestartedBesideAnOldKubeletNeedNotWait() {
        node.running("p", node.card0(), 8);
        node.on(new NodeEvent.KubeletStarted(10_000));
        assertTrue(node.report().takesBinds());
    }
}
