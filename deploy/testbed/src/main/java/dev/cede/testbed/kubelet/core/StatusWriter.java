package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.ContainerEntry.Stage;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import dev.cede.testbed.kubelet.core.PodStatusView.State;

import java.util.List;
import java.util.Optional;

/** Tells the API how a pod is, whenever that has changed. */
final class StatusWriter {
    private StatusWriter() {}

    static void write(PodEntry pod, Outbox out) {
        write(
                pod,
                new PodStatusView(
                        pod.spec.id(),
                        phase(pod),
                        "",
                        "",
                        pod.started,
                        pod.containers().stream().map(ContainerEntry::view).toList()),
                out);
    }

    static void writeRejection(PodEntry pod, String reason, String message, Outbox out) {
        write(
                pod,
                new PodStatusView(
                        pod.spec.id(),
                        Phase.FAILED,
                        reason,
                        message,
                        Optional.of(out.now()),
                        List.of()),
                out);
    }

    private static void write(PodEntry pod, PodStatusView view, Outbox out) {
        if (!pod.written.equals(Optional.of(view))) {
            pod.written = Optional.of(view);
            out.add(new Effect.WriteStatus(view));
        }
    }

    /** Final only once the last process has ended and been seen. */
    private static Phase phase(PodEntry pod) {
        if (pod.stage == PodEntry.Stage.FINISHED) {
            boolean failed = pod.containers().stream()
                    .filter(container -> container.spec.kind() != Kind.SIDECAR)
                    .anyMatch(container -> container.exitCode != 0);
            return failed ? Phase.FAILED : Phase.SUCCEEDED;
        }
        boolean pending = pod.containers().stream().anyMatch(StatusWriter::neverStarted);
        return pending ? Phase.PENDING : Phase.RUNNING;
    }

    private static boolean neverStarted(ContainerEntry container) {
        return container.stage != Stage.DONE
                && container.state instanceof State.Waiting
                && container.last.isEmpty();
    }
}
