package dev.cede.coordinator.inspect;

import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.VictimState;
import dev.cede.coordinator.planner.Decision.Refusal;
import dev.cede.coordinator.planner.Placement;
import dev.cede.coordinator.planner.ShareAsk;
import dev.cede.ledger.CardBooks;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Card;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;
import dev.cede.v1.ContainerAsk;
import dev.cede.v1.NodeRefusal;
import dev.cede.v1.NodeSummary;
import dev.cede.v1.PendingPod;
import dev.cede.v1.Plan;
import dev.cede.v1.Victim;
import dev.cede.wire.ModelWire;

import java.util.List;
import java.util.Optional;

/** Parts of a snapshot as messages. */
final class SnapshotWire {
    private SnapshotWire() {}

    static NodeSummary node(NodeState node) {
        NodeLedger ledger = node.view().ledger();
        List<CardBooks> books =
                ledger.cards().keySet().stream().map(ledger::books).toList();
        NodeSummary.Builder builder = NodeSummary.newBuilder()
                .setName(node.view().name())
                .setAttached(node.attached())
                .setReason(reason(node))
                .setCards(books.size())
                .setCapacityUnits(ledger.cards().values().stream()
                        .mapToInt(Card::capacityUnits)
                        .sum())
                .setFreeUnits(books.stream().mapToInt(CardBooks::freeUnits).sum())
                .setLargestHoleUnits(
                        books.stream().mapToInt(CardBooks::freeUnits).max().orElse(0));
        node.report().ifPresent(report -> add(builder, report));
        return builder.build();
    }

    /** Why nothing may be placed there, else why no bind is taken now. */
    private static String reason(NodeState node) {
        return node.view()
                .closed()
                .or(() -> node.report().map(NodeReport::takesBindsReason))
                .orElse("");
    }

    private static void add(NodeSummary.Builder builder, NodeReport report) {
        builder.setTakesBinds(report.takesBinds())
                .setHighestEpoch(report.highestEpoch().value());
        report.drifts().forEach(drift -> builder.addDrifts(ModelWire.write(drift)));
    }

    static PendingPod pending(Pending pending) {
        PendingPod.Builder builder = PendingPod.newBuilder()
                .setPod(ModelWire.write(pending.pod().ref()))
                .setPriority(pending.pod().priority())
                .setNominatedNode(pending.pod().nominatedNode().orElse(""))
                .setReason(pending.reason())
                .setPlan(pending.plan())
                .setCards(pending.ask().cards());
        pending.ask().containers().forEach(ask -> builder.addAsks(ask(ask)));
        pending.refusals().forEach(refusal -> builder.addRefusals(refusal(refusal)));
        return builder.build();
    }

    private static ContainerAsk ask(ShareAsk.ContainerAsk ask) {
        return ContainerAsk.newBuilder()
                .setContainer(ask.container())
                .setUnits(ask.amount().units())
                .setCorePercentage(ask.amount().core())
                .build();
    }

    static NodeRefusal refusal(Refusal refusal) {
        return NodeRefusal.newBuilder()
                .setNode(refusal.node())
                .setCard(refusal.card())
                .setReason(refusal.reason())
                .build();
    }

    static Plan plan(PlanState plan, Snapshot now) {
        Plan.Builder builder = Plan.newBuilder()
                .setId(plan.plan().id())
                .setState(plan.step().name())
                .setEpoch(plan.plan().epoch().value())
                .setWorkload(plan.plan().workload())
                .setReason(plan.reason());
        plan.plan().placements().forEach(place -> builder.addPlacements(placement(place)));
        plan.victims().forEach(victim -> builder.addVictims(victim(victim, now)));
        return builder.build();
    }

    private static dev.cede.v1.Placement placement(Placement placement) {
        dev.cede.v1.Placement.Builder builder = dev.cede.v1.Placement.newBuilder()
                .setPod(ModelWire.write(placement.pod()))
                .setNode(placement.node());
        placement.shares().forEach(share -> builder.addShares(ModelWire.write(share)));
        return builder.build();
    }

    private static Victim victim(VictimState state, Snapshot now) {
        PlannedVictim victim = state.victim();
        Victim.Builder builder = Victim.newBuilder()
                .setPod(ModelWire.write(victim.pod()))
                .setNode(victim.node())
                .setPriority(victim.priority())
                .setReason(victim.reason())
                .setState(state.stage().name());
        blocking(victim.pod(), victim.node(), now)
                .forEach(process -> builder.addBlocking(ModelWire.write(process)));
        return builder.build();
    }

    /** Processes that keep a leaving pod's memory, as its node's agent names them. */
    static List<GpuProcess> blocking(PodRef pod, String node, Snapshot now) {
        return now.nodes().stream()
                .filter(state -> state.view().name().equals(node))
                .map(NodeState::report)
                .flatMap(Optional::stream)
                .flatMap(report -> report.releases().stream())
                .filter(watch -> watch.pod().uid().equals(pod.uid()))
                .flatMap(watch -> watch.blocking().stream())
                .toList();
    }
}
