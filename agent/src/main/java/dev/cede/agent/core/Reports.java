package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.model.BookedShare;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;
import dev.cede.model.ReleaseWatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the coordinator is told. */
final class Reports {
    private Reports() {}

    /** Adds a report to the effects where there is news, or where a new stream wants its hello. */
    static NodeState publish(
            NodeState state, long now, boolean announce, List<NodeEffect> effects) {
        long version = state.reported().map(NodeReport::version).orElse(0L);
        NodeReport report = report(state, version, now);
        if (!announce && state.reported().filter(report::equals).isPresent()) {
            return state;
        }
        NodeReport next = report(state, version + 1, now);
        effects.add(new NodeEffect.Publish(next, state.ledger().withCards(next.cards())));
        return new NodeState(
                state.settings(),
                state.books(),
                state.term(),
                state.kubelet(),
                state.driver(),
                state.drifts(),
                Optional.of(next));
    }

    private static NodeReport report(NodeState state, long version, long now) {
        Optional<String> reason = whyNoBinds(state, now);
        return new NodeReport(
                state.settings().node(),
                state.settings().instance(),
                version,
                state.term().highest(),
                reason.isEmpty(),
                reason.orElse(""),
                WholeCards.markedOn(state),
                List.copyOf(state.ledger().shares().values()),
                state.books().order().stream()
                        .map(uid -> state.ledger().reservations().get(uid))
                        .toList(),
                releases(state),
                List.copyOf(state.drifts().values()));
    }

    private static Optional<String> whyNoBinds(NodeState state, long now) {
        if (!state.driver().failure().isEmpty()) {
            return Optional.of("the driver cannot be read: " + state.driver().failure());
        }
        if (!state.driver().read()) {
            return Optional.of("the driver is not read yet");
        }
        if (!state.kubelet().read()) {
            return Optional.of("kubelet's checkpoint is not read yet");
        }
        for (DeviceKind kind : DeviceKind.values()) {
            if (!state.kubelet().listening().contains(kind)) {
                return Optional.of("kubelet does not listen to " + kind.resource());
            }
        }
        if (now < state.kubelet().settledAt()) {
            return Optional.of("kubelet was started a moment ago");
        }
        return state.term().welcomed()
                ? Optional.empty()
                : Optional.of("no coordinator has welcomed this node");
    }

    private static List<ReleaseWatch> releases(NodeState state) {
        List<ReleaseWatch> releases = new ArrayList<>();
        for (String uid : state.driver().needs().keySet()) {
            List<GpuProcess> blocking = state.driver().blocking().getOrDefault(uid, List.of());
            pod(state, uid).ifPresent(pod -> releases.add(new ReleaseWatch(pod, blocking)));
        }
        return releases;
    }

    private static Optional<PodRef> pod(NodeState state, String uid) {
        return state.ledger().sharesOf(uid).stream()
                .findFirst()
                .map(BookedShare::share)
                .map(share -> share.pod());
    }
}
