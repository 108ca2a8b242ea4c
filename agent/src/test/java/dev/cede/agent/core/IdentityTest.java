package dev.cede.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.Given;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.model.Order;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.model.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdentityTest {
    private final Node node = Node.ready();

    private List<String> drifts() {
        return node.report().drifts().stream()
                .map(d -> d.kind() + "=" + d.count())
                .toList();
    }

    @Test
    void aGrantIsOnDiskBeforeKubeletHasIt() {
        node.reserve(Node.share("p", "a", node.card0(), 16, 0));
        node.take(DeviceKind.MEMORY, 16);
        NodeEffect.Save save = assertInstanceOf(NodeEffect.Save.class, node.last.getFirst());
        assertEquals(
                List.of("uid-p"),
                save.checkpoint().given().stream().map(Given::podUid).toList());
    }

    @Test
    void anAllocationIsBookedUnderTheNameThatKubeletsCheckpointGives() {
        node.reserve(Node.share("p", "a", node.card0(), 16, 30));
        List<String> core = node.take(DeviceKind.CORE, 30);
        List<String> memory = node.take(DeviceKind.MEMORY, 16);
        node.kubeletSays(Node.entry("p", "a", DeviceKind.CORE, core));
        assertEquals(List.of(), node.allocated());
        node.kubeletSays(
                Node.entry("p", "a", DeviceKind.CORE, core),
                Node.entry("p", "a", DeviceKind.MEMORY, memory));
        assertEquals(List.of("p/a=16u,30%@0 ALLOCATED"), node.allocated());
        assertEquals(List.of(), node.report().reservations());
        assertEquals(List.of(), drifts());
    }

    @Test
    void limitsAreWrittenByContainerNameWhateverTheOrder_B06() {
        node.reserve(
                Node.share("p", "a", node.card0(), 8, 0),
                Node.share("p", "b", node.card0(), 16, 0));
        List<String> b = node.take(DeviceKind.MEMORY, 16);
        List<String> a = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays(
                Node.entry("p", "a", DeviceKind.MEMORY, a),
                Node.entry("p", "b", DeviceKind.MEMORY, b));
        node.start(a);
        assertEquals(
                "memory_mib=1024\ncore_percentage=0\ncontainer=a\ncard="
                        + node.card0().id() + "\n",
                node.only(NodeEffect.WriteLimits.class).orElseThrow().limits().text());
        node.start(b);
        assertEquals(
                2048,
                node.only(NodeEffect.WriteLimits.class).orElseThrow().limits().memoryMib());
        assertEquals(24, node.state.ledger().books(node.card0().id()).given().units());
    }

    @Test
    void aStartWaitsUntilKubeletsCheckpointNamesItsContainer() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays();
        long call = node.start(ids);
        assertTrue(node.only(NodeEffect.AnswerStarted.class).isEmpty());
        assertTrue(node.only(NodeEffect.ReadKubelet.class).isPresent());
        node.kubeletSays(Node.entry("p", "a", DeviceKind.MEMORY, ids));
        assertEquals(
                call, node.only(NodeEffect.AnswerStarted.class).orElseThrow().call());
    }

    /** Kubelet may hear later than the coordinator that a pod was deleted by force. */
    @Test
    void E9_aContainerDoesNotStartOnceItsShareIsToBeFree() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays(Node.entry("p", "a", DeviceKind.MEMORY, ids));
        node.order(1, new Order.Free(Node.pod("p")));
        node.start(ids);
        assertTrue(node.only(NodeEffect.AnswerStarted.class).isEmpty());
        assertTrue(
                node.only(NodeEffect.RefuseCall.class).orElseThrow().reason().contains("is over"));
    }

    @Test
    void aStartThatNobodyNamesFailsAfterFiveSeconds() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 8);
        long call = node.start(ids);
        node.later(4_999);
        assertTrue(node.only(NodeEffect.RefuseCall.class).isEmpty());
        node.later(1);
        assertEquals(call, node.only(NodeEffect.RefuseCall.class).orElseThrow().call());
    }

    @Test
    void swappedEqualsOfOneCardAreBookedAsKubeletHasThem() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        node.reserve(Node.share("q", "a", node.card0(), 8, 0));
        List<String> first = node.take(DeviceKind.MEMORY, 8);
        List<String> second = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays(
                Node.entry("q", "a", DeviceKind.MEMORY, first),
                Node.entry("p", "a", DeviceKind.MEMORY, second));
        assertEquals(List.of("p/a=8u@0 ALLOCATED", "q/a=8u@0 ALLOCATED"), node.allocated());
        assertEquals(List.of(), drifts());
        node.start(first);
        assertTrue(node.only(NodeEffect.AnswerStarted.class).isPresent());
    }

    @Test
    void swappedEqualsOfTwoCardsChangePlacesInTheBooks_B02() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        node.reserve(Node.share("q", "a", node.card1(), 8, 0));
        List<String> first = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays(Node.entry("q", "a", DeviceKind.MEMORY, first));
        assertEquals(List.of("q/a=8u@0 ALLOCATED"), node.allocated());
        assertEquals(
                node.card1().id(),
                node.report().reservations().getFirst().shares().getFirst().card());
        List<String> second = node.take(DeviceKind.MEMORY, 8);
        node.kubeletSays(
                Node.entry("q", "a", DeviceKind.MEMORY, first),
                Node.entry("p", "a", DeviceKind.MEMORY, second));
        assertEquals(List.of("p/a=8u@1 ALLOCATED", "q/a=8u@0 ALLOCATED"), node.allocated());
        assertEquals(List.of("swapped=1"), drifts());
    }

    @Test
    void aContainerOfTwoCardsIsBookedOnBothAndItsLimitsNameBoth_A8() {
        node.reserve(
                Node.share("p", "a", node.card0(), 8, 15),
                Node.share("p", "a", node.card1(), 8, 15));
        List<String> core = node.take(DeviceKind.CORE, 30);
        NodeEffect.Granted granted = node.only(NodeEffect.AnswerAllocated.class)
                .orElseThrow()
                .grants()
                .getFirst();
        assertEquals(15, granted.size());
        List<String> memory = node.take(DeviceKind.MEMORY, 16);
        assertEquals(
                List.of(node.card0().id(), node.card1().id()),
                node.only(NodeEffect.AnswerAllocated.class)
                        .orElseThrow()
                        .grants()
                        .getFirst()
                        .cards());
        KubeletEntry half = Node.entry("p", "a", DeviceKind.CORE, core);
        node.kubeletSays(half);
        assertEquals(List.of(), node.allocated());
        node.kubeletSays(half, Node.entry("p", "a", DeviceKind.MEMORY, memory));
        assertEquals(List.of("p/a=8u,15%@0 ALLOCATED", "p/a=8u,15%@1 ALLOCATED"), node.allocated());
        assertEquals(List.of(), node.report().reservations());
        node.start(memory);
        assertEquals(
                "memory_mib=1024\ncore_percentage=15\ncontainer=a\ncard="
                        + node.card0().id() + "," + node.card1().id() + "\n",
                node.only(NodeEffect.WriteLimits.class).orElseThrow().limits().text());
        assertEquals(List.of(), drifts());
    }

    @Test
    void equalPodsOfTwoCardsThatWereSwappedChangePlaces_A8_B02() {
        Node three = Node.withCards(4);
        three.reserve(share(three, "p", 0), share(three, "p", 1));
        three.reserve(share(three, "q", 1), share(three, "q", 2));
        List<String> first = three.take(DeviceKind.MEMORY, 16);
        three.kubeletSays(Node.entry("q", "a", DeviceKind.MEMORY, first));
        assertEquals(List.of("q/a=8u@0 ALLOCATED", "q/a=8u@1 ALLOCATED"), three.allocated());
        List<String> second = three.take(DeviceKind.MEMORY, 16);
        three.kubeletSays(
                Node.entry("q", "a", DeviceKind.MEMORY, first),
                Node.entry("p", "a", DeviceKind.MEMORY, second));
        assertEquals(
                List.of(
                        "p/a=8u@1 ALLOCATED",
                        "p/a=8u@2 ALLOCATED",
                        "q/a=8u@0 ALLOCATED",
                        "q/a=8u@1 ALLOCATED"),
                three.allocated());
        assertEquals(1, three.report().drifts().size());
    }

    private static Share share(Node node, String pod, int card) {
        return Node.share(pod, "a", node.cards.get(card), 8, 0);
    }

    /** All containers of a pod are on the same cards; half a swap would change that. */
    @Test
    void podsOfTwoCardsAndTwoContainersDoNotChangePlaces_A8() {
        Node four = Node.withCards(4);
        four.reserve(
                share(four, "p", 0),
                share(four, "p", 1),
                Node.share("p", "b", four.cards.get(0), 4, 0),
                Node.share("p", "b", four.cards.get(1), 4, 0));
        four.reserve(share(four, "q", 2), share(four, "q", 3));
        List<String> first = four.take(DeviceKind.MEMORY, 16);
        four.kubeletSays(Node.entry("q", "a", DeviceKind.MEMORY, first));
        assertEquals("mismatch", four.report().drifts().getFirst().kind());
        four.start(first);
        assertTrue(four.only(NodeEffect.RefuseCall.class).isPresent());
    }

    @Test
    void twiceAsMuchOfOneCardInPlaceOfTwoIsAMismatchAndNothingStaysReserved_A8() {
        node.reserve(
                Node.share("p", "a", node.card0(), 8, 0), Node.share("p", "a", node.card1(), 8, 0));
        node.kubeletSays(Node.entry(
                "p", "a", DeviceKind.MEMORY, node.ids(node.card0(), DeviceKind.MEMORY, 0, 16)));
        assertEquals(List.of("p/a=16u@0 ALLOCATED"), node.allocated());
        assertEquals(List.of(), node.report().reservations());
        assertEquals(List.of("mismatch=1"), drifts());
    }

    @Test
    void devicesOfAnotherCardThanPlannedAreBookedAsTheyAreAndTheStartFails_B05() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        List<String> wrong = node.ids(node.card1(), DeviceKind.MEMORY, 0, 8);
        node.allocate(DeviceKind.MEMORY, wrong);
        assertTrue(node.only(NodeEffect.RefuseCall.class).isPresent());
        assertEquals(List.of("allocation_refused=1"), drifts());
        node.kubeletSays(Node.entry("p", "a", DeviceKind.MEMORY, wrong));
        assertEquals(List.of("p/a=8u@1 ALLOCATED"), node.allocated());
        assertEquals(List.of("allocation_refused=1", "mismatch=1"), drifts());
        node.start(wrong);
        String reason = node.only(NodeEffect.RefuseCall.class).orElseThrow().reason();
        assertTrue(reason.contains("is reserved"), reason);
    }

    @Test
    void twoResourcesOfAContainerOnTwoCardsAreAMismatch() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 20));
        List<String> memory = node.ids(node.card0(), DeviceKind.MEMORY, 0, 8);
        node.kubeletSays(
                Node.entry("p", "a", DeviceKind.MEMORY, memory),
                Node.entry(
                        "p", "a", DeviceKind.CORE, node.ids(node.card1(), DeviceKind.CORE, 0, 20)));
        assertEquals(List.of("mismatch=1"), drifts());
        node.start(memory);
        assertTrue(node.only(NodeEffect.RefuseCall.class).isPresent());
    }

    @Test
    void whatNobodyPlannedIsBookedAsKubeletHasIt() {
        node.kubeletSays(Node.entry(
                "x", "a", DeviceKind.MEMORY, node.ids(node.card0(), DeviceKind.MEMORY, 0, 8)));
        assertEquals(8, node.state.ledger().books(node.card0().id()).given().units());
        assertEquals(List.of("unplanned=1"), drifts());
    }

    @Test
    void unplannedContainersAreServedWhereThatIsConfigured_A7() {
        Node placing = Node.ready(new NodeSettings("n0", "i1", 20, true, 250, 50));
        placing.running("p", placing.card1(), 32);
        List<String> ids = placing.take(DeviceKind.MEMORY, 16);
        List<String> core = placing.take(DeviceKind.CORE, 10);
        placing.kubeletSays(
                Node.entry("p", "main", DeviceKind.MEMORY, heldBy(placing, "p")),
                Node.entry("x", "a", DeviceKind.MEMORY, ids),
                Node.entry("x", "a", DeviceKind.CORE, core));
        assertEquals(
                1, placing.state.ledger().sharesOf("uid-x").size(), placing.allocated()::toString);
    }

    private static List<String> heldBy(Node node, String pod) {
        return node.state
                .books()
                .held()
                .get(new ContainerKey("uid-" + pod, "main"))
                .memoryIds();
    }

    @Test
    void devicesThatAReleasingPodStillHoldsAreNotGivenAgain() {
        List<String> ids = node.running("p", node.card0(), 8);
        node.process(7, "p", node.card0(), 10);
        node.order(1, new Order.Free(Node.pod("p")));
        node.readDriver();
        node.reserve(Node.share("q", "a", node.card0(), 8, 0));
        node.allocate(DeviceKind.MEMORY, ids);
        assertTrue(node.only(NodeEffect.RefuseCall.class)
                .orElseThrow()
                .reason()
                .contains("held by another"));
        List<String> others = node.take(DeviceKind.MEMORY, 8);
        assertTrue(others.stream().noneMatch(ids::contains), others.toString());
    }

    @Test
    void afterAKillBetweenGrantAndNameTheAllocationIsFoundInKubeletsCheckpoint() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 8);
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        assertTrue(!node.state.kubelet().read());
        node.on(new NodeEvent.Tick());
        node.readDriver();
        assertTrue(node.only(NodeEffect.ReadKubelet.class).isPresent());
        node.kubeletSays(Node.entry("p", "a", DeviceKind.MEMORY, ids));
        assertEquals(List.of("p/a=8u@0 ALLOCATED"), node.allocated());
    }

    /** The agent died between kubelet's two calls; the other one failed, and with it the pod. */
    @Test
    void E9_halfOfAContainerThatKubeletGaveUpIsNeverBooked() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 50));
        List<String> ids = node.take(DeviceKind.CORE, 50);
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        node.order(1, new Order.Welcome(List.of(), List.of(Node.pod("p"))));
        assertEquals(
                Refusal.ALREADY_ALLOCATED,
                node.order(1, new Order.Drop("uid-p")).refusal());
        node.on(new NodeEvent.Tick());
        node.readDriver();
        node.kubeletSays(Node.entry("p", "a", DeviceKind.CORE, ids));
        assertTrue(node.order(1, new Order.Drop("uid-p")).done());
        node.kubeletSays(Node.entry("p", "a", DeviceKind.CORE, ids));
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void anAgentWithoutItsCheckpointTakesItsBooksFromKubelets() {
        List<String> ids = node.running("p", node.card0(), 8);
        Node lost = new Node(Node.SETTINGS, node.card0(), node.card1());
        lost.on(new NodeEvent.Tick());
        lost.readDriver();
        assertTrue(!lost.report().takesBinds());
        lost.kubeletSays(Node.entry("p", "main", DeviceKind.MEMORY, ids));
        assertEquals(8, lost.state.ledger().books(lost.card0().id()).given().units());
        lost.order(1, new Order.Free(Node.pod("p")));
        lost.readDriver();
        assertEquals(0, lost.state.ledger().books(lost.card0().id()).given().units());
    }

    @Test
    void aGrantThatKubeletNeverNamesIsForgottenAfterTenSeconds() {
        node.reserve(Node.share("p", "a", node.card0(), 8, 0));
        node.take(DeviceKind.MEMORY, 8);
        node.now += 10_001;
        node.kubeletSays();
        assertEquals(List.of(), node.state.books().steering().given());
        node.take(DeviceKind.MEMORY, 8);
    }
}
