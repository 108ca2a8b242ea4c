package dev.cede.coordinator.inspect;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.Lost;
import dev.cede.coordinator.loop.Snapshot.OtherPod;
import dev.cede.coordinator.loop.Snapshot.Pending;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Step;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.PodRef;
import dev.cede.v1.ExplainResponse;
import dev.cede.wire.ModelWire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Why a pod is where it is, or still pending. */
final class Explanation {
    private final Snapshot now;
    private final Known known;

    Explanation(Snapshot now) {
        this.now = now;
        this.known = new Known(now);
    }

    /** Empty when the pod is not known. */
    Optional<ExplainResponse> of(String namespace, String name) {
        Predicate<PodRef> named =
                pod -> pod.namespace().equals(namespace) && pod.name().equals(name);
        return now.pending().stream()
                .filter(pending -> named.test(pending.pod().ref()))
                .map(this::pending)
                .findFirst()
                .or(() -> now.pods().stream()
                        .filter(other -> named.test(other.pod().ref()))
                        .max(Comparator.comparing(
                                (OtherPod other) -> other.pod().created()))
                        .map(this::other))
                .or(() -> known.inBooks().filter(named).map(this::gone).findFirst());
    }

    private ExplainResponse pending(Pending pending) {
        PodFacts pod = pending.pod();
        List<Standing> standings = new ArrayList<>(new Waits(known).of(pending));
        standings.addAll(asMember(pod.ref()));
        ExplainResponse.Builder builder = answer(pod.ref(), standings);
        if (known.place(pod.uid()).isEmpty()) {
            pending.refusals()
                    .forEach(refusal -> builder.addRefusals(SnapshotWire.refusal(refusal)));
        }
        return builder.build();
    }

    private ExplainResponse other(OtherPod other) {
        PodRef pod = other.pod().ref();
        List<Standing> standings = new ArrayList<>(asVictim(pod));
        standings.addAll(new Stays(known).of(other));
        standings.addAll(asMember(pod));
        return answer(pod, standings).build();
    }

    private ExplainResponse gone(PodRef pod) {
        List<Standing> standings = new ArrayList<>(asVictim(pod));
        standings.addAll(new Stays(known).gone(pod));
        standings.addAll(asMember(pod));
        return answer(pod, standings).build();
    }

    private List<Standing> asVictim(PodRef pod) {
        return now.plans().stream()
                .flatMap(plan -> plan.victims().stream()
                        .filter(state -> state.victim().pod().equals(pod))
                        .<Standing>map(state -> new Standing.IsVictim(
                                plan.plan().id(),
                                plan.plan().placements().stream()
                                        .map(Placement::pod)
                                        .toList(),
                                state.stage(),
                                state.victim().reason())))
                .toList();
    }

    /** What its plan waits for besides this pod (E14). */
    private List<Standing> asMember(PodRef pod) {
        return known.planWith(pod.uid()).stream()
                .flatMap(plan -> asMember(plan, pod))
                .toList();
    }

    private static Stream<Standing> asMember(PlanState plan, PodRef pod) {
        String id = plan.plan().id();
        if (plan.step() == Step.ROLLING_BACK) {
            return Stream.of(new Standing.RolledBack(id));
        }
        Optional<Lost> itself =
                plan.lost().stream().filter(lost -> lost.pod().equals(pod)).findFirst();
        if (itself.isPresent()) {
            return Stream.of(new Standing.PlaceIsKept(id, itself.get()));
        }
        return plan.lost().isEmpty()
                ? Stream.empty()
                : Stream.of(new Standing.AwaitsReplacement(id, plan.lost()));
    }

    private ExplainResponse.Builder answer(PodRef pod, List<Standing> standings) {
        ExplainResponse.Builder builder =
                ExplainResponse.newBuilder().setPod(ModelWire.write(pod)).setPlan(plan(pod));
        standings.stream().map(Sentences::of).distinct().forEach(builder::addSentences);
        now.nodes().forEach(node -> {
            Known.shares(node, pod.uid())
                    .forEach(booked -> builder.addShares(ModelWire.write(booked)));
            Known.reserved(node, pod.uid())
                    .ifPresent(reserved -> reserved.shares()
                            .forEach(share -> builder.addShares(ModelWire.write(share))));
        });
        return builder;
    }

    private String plan(PodRef pod) {
        Stream<PlanState> against = now.plans().stream()
                .filter(plan -> plan.victims().stream()
                        .anyMatch(state -> state.victim().pod().equals(pod)));
        return Stream.concat(known.planWith(pod.uid()).stream(), against)
                .map(plan -> plan.plan().id())
                .findFirst()
                .orElse("");
    }
}
