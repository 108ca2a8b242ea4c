package dev.cede.coordinator.inspect;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.BookedShare;
import dev.cede.model.GpuProcess;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.v1.ExplainResponse;
import dev.cede.wire.ModelWire;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Why a pod is where it is, or still pending. */
final class Explanation {
    private final Snapshot now;

    Explanation(Snapshot now) {
        this.now = now;
    }

    /** Empty when the pod is not known. */
    Optional<ExplainResponse> of(String namespace, String name) {
        Predicate<PodFacts> named = pod ->
                pod.ref().namespace().equals(namespace) && pod.ref().name().equals(name);
        return now.pending().stream()
                .filter(pending -> named.test(pending.pod()))
                .map(this::pending)
                .findFirst()
                .or(() -> now.pods().stream().filter(named).map(this::placed).findFirst());
    }

    private ExplainResponse pending(Pending pending) {
        PodRef pod = pending.pod().ref();
        ExplainResponse.Builder builder =
                ExplainResponse.newBuilder().setPod(ModelWire.write(pod)).setPlan(pending.plan());
        if (!pending.reason().isEmpty()) {
            builder.addSentences(pending.reason());
        }
        now.plans().stream()
                .filter(plan -> plan.plan().id().equals(pending.plan()))
                .forEach(plan -> builder.addSentences(waiting(plan)));
        pending.refusals().forEach(refusal -> builder.addRefusals(SnapshotWire.refusal(refusal)));
        addShares(builder, pod);
        return builder.build();
    }

    private static String waiting(PlanState plan) {
        String waits = plan.reason().isEmpty() ? "" : ": " + plan.reason();
        return "plan " + plan.plan().id() + " is at step " + plan.step() + waits;
    }

    private ExplainResponse placed(PodFacts pod) {
        ExplainResponse.Builder builder =
                ExplainResponse.newBuilder().setPod(ModelWire.write(pod.ref()));
        now.plans().forEach(plan -> addVictim(builder, plan, pod.ref()));
        pod.nodeName().ifPresent(node -> builder.addSentences(standing(pod, node)));
        pod.nodeName().ifPresent(node -> {
            List<GpuProcess> blocking = SnapshotWire.blocking(pod.ref(), node, now);
            blocking.forEach(process -> builder.addSentences("process " + process.pid() + " ("
                    + process.name() + ") still keeps memory of card " + process.card()));
        });
        now.plans().stream()
                .filter(plan -> plan.plan().placements().stream()
                        .anyMatch(place -> place.pod().equals(pod.ref())))
                .forEach(plan -> builder.setPlan(plan.plan().id()).addSentences(waiting(plan)));
        addShares(builder, pod.ref());
        return builder.build();
    }

    private static String standing(PodFacts pod, String node) {
        String leaving = pod.terminating() ? ", and is leaving" : "";
        String over = pod.finished() ? ", and is over" : leaving;
        return "on node " + node + " with priority " + pod.priority() + over;
    }

    private static void addVictim(ExplainResponse.Builder builder, PlanState plan, PodRef pod) {
        for (PlannedVictim victim : plan.plan().victims()) {
            if (victim.pod().equals(pod)) {
                builder.setPlan(plan.plan().id())
                        .addSentences("has to leave for " + plan.plan().workload() + " by plan "
                                + plan.plan().id() + ": " + victim.reason());
            }
        }
    }

    private void addShares(ExplainResponse.Builder builder, PodRef pod) {
        now.nodes().forEach(node -> {
            NodeLedger ledger = node.view().ledger();
            for (BookedShare booked : ledger.sharesOf(pod.uid())) {
                builder.addShares(ModelWire.write(booked));
            }
            Reservation reservation = ledger.reservations().get(pod.uid());
            if (reservation != null) {
                reservation.shares().forEach(share -> builder.addShares(ModelWire.write(share)));
            }
        });
    }
}
