package dev.cede.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.deviceplugin.KubeletCheckpoint;
import dev.cede.deviceplugin.PodResourcesClient;
import dev.cede.deviceplugin.UnixSockets;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.ShareState;
import dev.cede.nvml.sim.Ghost;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real agent process's parts, real sockets, real processes that use simulated cards. */
@Timeout(180)
class AgentIT {
    private Rig rig;

    @BeforeEach
    void start() throws IOException {
        rig = new Rig();
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    private NodeReport allocated(int count) {
        return rig.coordinator.awaitReport(
                count + " allocated",
                report -> report.shares().size() == count
                        && report.shares().stream()
                                .allMatch(s -> s.state() == ShareState.ALLOCATED));
    }

    private void awaitNoShares() {
        rig.coordinator.awaitReport("all is released", report -> report.shares().isEmpty());
    }

    @Test
    void aReservedPodRunsOnItsCardWithItsLimits() throws IOException {
        Amount amount = new Amount(16, 50);
        Pod pod = rig.running("p", rig.card(1), amount, Map.of());
        NodeReport report = allocated(1);
        assertEquals(rig.card(1).id(), report.shares().getFirst().share().card());
        assertEquals(amount, report.shares().getFirst().share().amount());
        assertEquals(Rig.ref(pod), report.shares().getFirst().share().pod());
        assertEquals(List.of(), report.drifts());
        String limits = rig.limits(pod);
        assertTrue(limits.startsWith("memory_mib=2048\ncore_percentage=50\n"), limits);
    }

    /** What its child holds on each card shows that the container sees both. */
    @Test
    void aPodOfTwoCardsRunsOnBothWithItsLimitsOfEach_A8() throws Exception {
        Amount each = new Amount(16, 30);
        Pod pod = rig.running(
                "p", rig.ready().cards(), each, Map.of("GPU_HOG_CHILD_OUTLIVES_SECONDS", "3600"));
        NodeReport report = allocated(2);
        List<CardId> cards = report.cards().stream().map(Card::id).sorted().toList();
        assertEquals(
                cards,
                report.shares().stream().map(booked -> booked.share().card()).toList());
        report.shares().forEach(booked -> assertEquals(each, booked.share().amount()));
        assertEquals(List.of(), report.drifts());
        assertEquals(
                "memory_mib=2048\ncore_percentage=30\ncontainer=main\ncard=" + cards.get(0) + ","
                        + cards.get(1) + "\n",
                rig.limits(pod));
        rig.awaitProcesses(2, report.cards());
        rig.api.deletePod(Rig.uid(pod), 0);
        rig.api.awaitGone(Rig.uid(pod), Rig.LIMIT);
        rig.coordinator.order(new Order.Free(Rig.ref(pod)));
        rig.coordinator.awaitReport("both cards are used", now -> cards.equals(used(now)));
        rig.coordinator.awaitReport("all is released", now -> now.shares().isEmpty() || endOf(now));
    }

    private static List<CardId> used(NodeReport report) {
        return report.releases().stream()
                .flatMap(watch -> watch.blocking().stream())
                .filter(process -> process.usedMib() > 0)
                .map(GpuProcess::card)
                .distinct()
                .sorted()
                .toList();
    }

    @Test
    void aPodNobodyReservedForIsRefusedForGood_A7() {
        rig.ready();
        Pod pod = rig.pod("stray", new Amount(4, 0), Map.of());
        rig.api.bind(Rig.uid(pod), Rig.NODE);
        Pod failed = rig.api.awaitPhase(Rig.uid(pod), "Failed", Rig.LIMIT);
        String message = failed.getStatus().getMessage();
        assertTrue(message.contains("no reservation"), message);
        assertTrue(rig.coordinator.awaitRefusal().contains("no reservation"));
    }

    @Test
    void aChildThatOutlivesItsContainerDelaysTheRelease_E9() throws InterruptedException {
        Pod pod = rig.running(
                "p",
                rig.card(0),
                new Amount(32, 0),
                Map.of("GPU_HOG_CHILD_OUTLIVES_SECONDS", "3600"));
        allocated(1);
        rig.awaitProcesses(2, List.of(rig.card(0)));
        rig.api.deletePod(Rig.uid(pod), 0);
        rig.api.awaitGone(Rig.uid(pod), Rig.LIMIT);
        rig.coordinator.order(new Order.Free(Rig.ref(pod)));
        NodeReport waiting = rig.coordinator.awaitReport(
                "the child keeps the share",
                report -> !report.releases().isEmpty()
                        && !report.releases().getFirst().blocking().isEmpty());
        assertEquals(ShareState.RELEASING, waiting.shares().getFirst().state());
        waiting.releases()
                .getFirst()
                .blocking()
                .forEach(process ->
                        ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly));
        rig.coordinator.awaitReport(
                "the share is released", report -> report.shares().isEmpty() || endOf(report));
        awaitNoShares();
    }

    /** Ends whatever else the report says keeps it. */
    private static boolean endOf(NodeReport report) {
        report.releases()
                .forEach(watch -> watch.blocking()
                        .forEach(process -> ProcessHandle.of(process.pid())
                                .ifPresent(ProcessHandle::destroyForcibly)));
        return false;
    }

    @Test
    void anEntryThatLingersInTheDriversListDelaysTheRelease_E9() {
        Pod pod = rig.running("p", rig.card(0), new Amount(32, 0), Map.of());
        allocated(1);
        rig.cards.edit(0, card -> card.withGhosts(List.of(Ghost.of(4_000_000, 100))));
        rig.api.deletePod(Rig.uid(pod), 0);
        rig.api.awaitGone(Rig.uid(pod), Rig.LIMIT);
        rig.coordinator.order(new Order.Free(Rig.ref(pod)));
        rig.coordinator.awaitReport(
                "only the entry keeps the share",
                report -> !report.releases().isEmpty()
                        && report.releases().getFirst().blocking().stream()
                                .allMatch(process -> process.pid() == 4_000_000)
                        && !report.releases().getFirst().blocking().isEmpty());
        rig.cards.edit(0, card -> card.withGhosts(List.of()));
        awaitNoShares();
    }

    @Test
    void allocationsSurviveTheAgentAndKubelet() throws IOException {
        Pod pod = rig.running("p", rig.card(0), new Amount(32, 0), Map.of());
        allocated(1);
        rig.restartAgent();
        rig.coordinator.awaitReport(
                "the new agent reports",
                report -> report.takesBinds() && report.shares().size() == 1);
        rig.kubelet.restart();
        rig.coordinator.awaitReport("kubelet left", report -> !report.takesBinds());
        rig.coordinator.awaitReport(
                "registered again",
                report -> report.takesBinds() && report.shares().size() == 1);
        Pod second = rig.running("q", rig.card(0), new Amount(32, 0), Map.of());
        NodeReport both = allocated(2);
        assertEquals(List.of(), both.drifts());
        assertFalse(Rig.uid(pod).equals(Rig.uid(second)));
    }

    @Test
    void podResourcesAndCheckpointAgreeOnAPodsDevices() throws IOException {
        Pod pod = rig.running("p", rig.card(0), new Amount(16, 50), Map.of());
        allocated(1);
        AgentConfig config = rig.config();
        try (UnixSockets sockets = new UnixSockets();
                PodResourcesClient client =
                        new PodResourcesClient(sockets, config.podResourcesSocket())) {
            assertEquals(
                    Set.copyOf(KubeletCheckpoint.read(config.devicePluginDirectory())
                            .entries()),
                    Set.copyOf(client.get("default", "p", Rig.uid(pod))));
        }
    }
}
