package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.Reservation;
import dev.cede.model.ShareKey;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Sentences on what a claim waits for. */
final class Waiting {
    private Waiting() {}

    static String overdue(LoopState state, String node, String uid) {
        return name(state, uid) + " is past its release deadline on " + node
                + blocking(state, node, uid);
    }

    /** What the claim still waits for; empty when its room is free. */
    static String of(LoopState state, Claim claim) {
        Reservation held =
                state.reserved(claim.node(), claim.pod().uid()).orElse(claim.reservation());
        return held.behind().stream()
                .map(ShareKey::podUid)
                .distinct()
                .map(uid -> "waiting for " + name(state, uid) + state(state, uid)
                        + blocking(state, claim.node(), uid))
                .collect(Collectors.joining("; "));
    }

    static String name(LoopState state, String uid) {
        return state.cluster
                .podOrDeparted(uid)
                .map(pod -> pod.ref().namespacedName())
                .orElse("pod " + uid);
    }

    private static String state(LoopState state, String uid) {
        Optional<PodFacts> pod = state.cluster.pod(uid);
        if (pod.isEmpty() || pod.get().finished()) {
            return ", which is over and not measured free yet";
        }
        return ", grace " + pod.get().grace().toSeconds() + " s";
    }

    private static String blocking(LoopState state, String node, String uid) {
        List<GpuProcess> processes = state.report(node).stream()
                .map(NodeReport::releases)
                .flatMap(List::stream)
                .filter(watch -> watch.pod().uid().equals(uid))
                .flatMap(watch -> watch.blocking().stream())
                .toList();
        if (processes.isEmpty()) {
            return "";
        }
        return ", kept by "
                + processes.stream()
                        .map(process -> "process " + process.pid() + " (" + process.name() + ", "
                                + process.usedMib() + " MiB)")
                        .collect(Collectors.joining(", "));
    }
}
