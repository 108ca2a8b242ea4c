package dev.cede.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.model.GpuProcess;
import dev.cede.model.Order;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Measured release (E9). */
class ReleaseTest {
    private final Node node = Node.ready();

    private void free(String pod) {
        assertTrue(node.order(1, new Order.Free(Node.pod(pod))).done());
    }

    private List<GpuProcess> blocking() {
        return node.report().releases().getFirst().blocking();
    }

    @Test
    void nothingIsFreeBeforeTheDriverIsReadAfterTheOrder() {
        node.running("p", node.card0(), 32);
        node.now = node.state.driver().nextAt();
        node.on(new NodeEvent.Tick());
        free("p");
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
        node.readDriver();
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
        assertTrue(node.only(NodeEffect.ReadDriver.class).isPresent());
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void aReleaseTakesNoTimerOfItsOwn_K06() {
        node.running("p", node.card0(), 32);
        long before = node.now;
        free("p");
        assertTrue(node.only(NodeEffect.ReadDriver.class).isPresent());
        node.readDriver();
        assertEquals(before, node.now);
        assertEquals(List.of(), node.allocated());
        assertEquals(List.of(), node.report().releases());
    }

    @Test
    void aProcessOfThePodThatLivesKeepsItsShareThoughTheDriverShowsNothing() {
        node.running("p", node.card0(), 32);
        node.process(7, "p", node.card0(), 100);
        node.entries.clear();
        free("p");
        node.readDriver();
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
        assertEquals(7, blocking().getFirst().pid());
        node.ends(7);
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    /** Each share by itself: what keeps one card does not keep the other. */
    @Test
    void aContainerOfTwoCardsIsReleasedCardByCard_A8_E9() {
        node.running("p", 16, node.card0(), node.card1());
        node.process(7, "p", node.card1(), 100);
        node.readDriver();
        node.lingers(7);
        free("p");
        node.readDriver();
        assertEquals(List.of("p/main=16u@1 RELEASING"), node.allocated());
        node.ends(7);
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    /** The limits of both are under the name of their first device, which is the same one. */
    @Test
    void theNextContainerOnACardKeepsItsGrantAndLimitsWhileTheFormerHasTheOtherCard_A8() {
        List<String> old = node.running("p", 16, node.card0(), node.card1());
        node.process(7, "p", node.card1(), 100);
        node.readDriver();
        node.lingers(7);
        free("p");
        node.readDriver();
        node.reserve(Node.share("q", "main", node.card0(), 16, 0));
        List<String> ids = node.take(DeviceKind.MEMORY, 16);
        assertEquals(old.getFirst(), ids.getFirst());
        node.kubeletSays(Node.entry("p", "main", DeviceKind.MEMORY, old));
        assertTrue(node.state.books().isGiven("uid-q"));
        node.ends(7);
        node.readDriver();
        assertEquals(Optional.empty(), node.only(NodeEffect.ForgetLimits.class));
        node.kubeletSays(Node.entry("q", "main", DeviceKind.MEMORY, ids));
        assertEquals(List.of("q/main=16u@0 ALLOCATED"), node.allocated());
        free("q");
        node.readDriver();
        assertTrue(node.only(NodeEffect.ForgetLimits.class).isPresent());
    }

    @Test
    void aContainerThatIsFreeStaysFreeWhileKubeletStillNamesItAndAnotherOfItsPodLingers() {
        node.reserve(
                Node.share("p", "a", node.card0(), 32, 0),
                Node.share("p", "b", node.card1(), 16, 0));
        List<String> first = node.take(DeviceKind.MEMORY, 32);
        List<String> second = node.take(DeviceKind.MEMORY, 16);
        KubeletEntry[] entries = {
            Node.entry("p", "a", DeviceKind.MEMORY, first),
            Node.entry("p", "b", DeviceKind.MEMORY, second)
        };
        node.kubeletSays(entries);
        node.process(7, "p", node.card1(), 100);
        node.readDriver();
        node.lingers(7);
        free("p");
        node.readDriver();
        assertEquals(List.of("p/b=16u@1 RELEASING"), node.allocated());
        node.kubeletSays(entries);
        assertEquals(List.of("p/b=16u@1 RELEASING"), node.allocated());
    }

    @Test
    void aChildThatOutlivesItsContainerKeepsTheShare() {
        node.running("p", node.card0(), 32);
        node.process(7, "p", node.card0(), 100);
        node.process(8, "p", node.card0(), 50);
        node.readDriver();
        node.ends(7);
        free("p");
        node.readDriver();
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
        node.ends(8);
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void aLingeringEntryOfAnAttributedProcessKeepsTheShare() {
        node.running("p", node.card0(), 32);
        node.process(7, "p", node.card0(), 100);
        node.readDriver();
        node.lingers(7);
        free("p");
        node.readDriver();
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
        assertEquals(100, blocking().getFirst().usedMib());
        node.entries.clear();
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void attributionsAreOnDiskAndSurviveARestart() {
        node.running("p", node.card0(), 32);
        node.running("q", node.card0(), 16);
        node.process(7, "p", node.card0(), 100);
        node.readDriver();
        assertTrue(node.all.stream()
                .anyMatch(effect -> effect instanceof NodeEffect.Save save
                        && save.checkpoint()
                                .attributions()
                                .contains(new Attribution(7, 107, "uid-p"))));
        node.state = NodeState.restored(Node.SETTINGS, node.state.checkpoint());
        node.lingers(7);
        node.on(new NodeEvent.Tick());
        free("q");
        free("p");
        node.readDriver();
        node.readDriver();
        assertEquals(List.of("p/main=32u@0 RELEASING"), node.allocated());
    }

    @Test
    void anEntryOfNobodyBlocksEveryReleasingShareOfItsCardAndNoOther() {
        node.running("p", node.card0(), 16);
        node.running("q", node.card0(), 24);
        node.running("r", node.card1(), 8);
        node.entries.add(new DriverEntry(node.card0().id(), 99, 5 * Node.MIB, Optional.empty()));
        for (String pod : List.of("p", "q", "r")) {
            free(pod);
        }
        node.readDriver();
        node.readDriver();
        assertEquals(List.of("p/main=16u@0 RELEASING", "q/main=24u@0 RELEASING"), node.allocated());
        node.entries.clear();
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void anotherPodsProcessBlocksNothing() {
        node.running("p", node.card0(), 16);
        node.running("q", node.card0(), 24);
        node.process(7, "q", node.card0(), 100);
        free("p");
        node.readDriver();
        assertEquals(List.of("q/main=24u@0 ALLOCATED"), node.allocated());
    }

    @Test
    void aForeignProcessBlocksNothing() {
        node.running("p", node.card0(), 16);
        node.entries.add(new DriverEntry(
                node.card0().id(),
                50,
                5 * Node.MIB,
                Optional.of(new LiveProcess(50, 1, "x", Optional.empty()))));
        free("p");
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void aPidThatIsUsedAgainIsNotTheOldProcess() {
        node.running("p", node.card0(), 16);
        node.process(7, "p", node.card0(), 100);
        node.readDriver();
        node.ends(7);
        node.entries.add(new DriverEntry(
                node.card0().id(),
                7,
                5 * Node.MIB,
                Optional.of(new LiveProcess(7, 9_999, "x", Optional.empty()))));
        free("p");
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void sharesOfOnePodAreReleasedOneByOne() {
        node.reserve(
                Node.share("p", "a", node.card0(), 16, 0),
                Node.share("p", "b", node.card1(), 24, 0));
        List<String> a = node.take(DeviceKind.MEMORY, 16);
        List<String> b = node.take(DeviceKind.MEMORY, 24);
        node.kubeletSays(
                Node.entry("p", "a", DeviceKind.MEMORY, a),
                Node.entry("p", "b", DeviceKind.MEMORY, b));
        node.process(7, "p", node.card0(), 100);
        node.readDriver();
        node.lingers(7);
        free("p");
        node.readDriver();
        assertEquals(List.of("p/a=16u@0 RELEASING"), node.allocated());
    }

    @Test
    void aCardThatCannotBeReadReleasesNothing() {
        node.running("p", node.card0(), 16);
        node.unread.add(node.card0().id());
        free("p");
        node.readDriver();
        assertEquals(List.of("p/main=16u@0 RELEASING"), node.allocated());
        node.unread.clear();
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void aFailedReadingReleasesNothingAndIsRepeated() {
        node.running("p", node.card0(), 16);
        free("p");
        node.on(new NodeEvent.DriverFailed(node.state.driver().issued(), "GPU_IS_LOST"));
        assertEquals(List.of("p/main=16u@0 RELEASING"), node.allocated());
        assertTrue(node.report().takesBindsReason().contains("GPU_IS_LOST"));
        node.readDriver();
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void aPodThatKubeletsCheckpointStillNamesAfterItsReleaseStaysFree() {
        List<String> ids = node.running("p", node.card0(), 16);
        free("p");
        node.readDriver();
        node.kubeletSays(Node.entry("p", "main", DeviceKind.MEMORY, ids));
        assertEquals(List.of(), node.allocated());
    }

    /** Kubelet writes what it keeps in memory when a plugin comes back, long after it gave that up. */
    @Test
    void E9_aPodThatKubeletsCheckpointNamesOnlyAfterItsReleaseStaysFree() {
        node.reserve(Node.share("p", "main", node.card0(), 16, 20));
        List<String> ids = node.take(DeviceKind.CORE, 20);
        free("p");
        node.kubeletSays();
        node.order(1, new Order.Drop("uid-p"));
        node.kubeletSays();
        node.kubeletSays(Node.entry("p", "main", DeviceKind.CORE, ids));
        assertEquals(List.of(), node.allocated());
    }

    @Test
    void whatIsFreeIsForgottenWhenKubeletNamesItNoMoreAfterItHasGivenOutOthers() {
        List<String> before = node.running("before", node.card1(), 8);
        node.running("p", node.card0(), 16);
        free("p");
        node.readDriver();
        KubeletEntry old = Node.entry("before", "main", DeviceKind.MEMORY, before);
        node.kubeletSays(old);
        assertFalse(node.state.books().freed().isEmpty());
        node.later(1);
        node.reserve(Node.share("next", "main", node.card0(), 16, 0));
        List<String> after = node.take(DeviceKind.MEMORY, 16);
        node.kubeletSays(old, Node.entry("next", "main", DeviceKind.MEMORY, after));
        assertTrue(node.state.books().freed().isEmpty());
    }

    @Test
    void theLimitsOfAFreedContainerAreForgotten() {
        List<String> ids = node.running("p", node.card0(), 16);
        free("p");
        node.readDriver();
        assertEquals(
                ids.getFirst(),
                node.only(NodeEffect.ForgetLimits.class).orElseThrow().name());
    }

    @Test
    void whileAReleaseIsOpenTheDriverIsReadMoreOften() {
        node.running("p", node.card0(), 16);
        node.process(7, "p", node.card0(), 100);
        free("p");
        node.readDriver();
        assertEquals(node.now + 50, node.state.driver().nextAt());
        node.ends(7);
        node.readDriver();
        assertEquals(node.now + 250, node.state.driver().nextAt());
    }

    @Test
    void useOfNobodysProcessesAndUseBeyondASharesSizeAreForeignRoundedUp_B06() {
        node.running("p", node.card0(), 2);
        node.process(7, "p", node.card0(), 256 + 1);
        node.entries.add(new DriverEntry(
                node.card1().id(),
                50,
                129 * Node.MIB,
                Optional.of(new LiveProcess(50, 1, "x", Optional.empty()))));
        node.readDriver();
        assertEquals(
                List.of(1, 2),
                node.report().cards().stream().map(card -> card.foreignUnits()).toList());
        node.ends(7);
        node.ends(50);
        node.readDriver();
        assertEquals(
                List.of(0, 0),
                node.report().cards().stream().map(card -> card.foreignUnits()).toList());
    }

    @Test
    void aDriverThatShowsNoCardAnyMoreKeepsTheBooks_B11() {
        node.running("p", node.card0(), 2);
        node.on(new NodeEvent.DriverRead(new DriverReading(
                node.state.driver().issued(),
                List.of(),
                node.unread,
                List.of(),
                new java.util.TreeMap<>())));
        assertEquals(2, node.report().cards().size());
        assertTrue(!node.report().takesBinds());
    }
}
