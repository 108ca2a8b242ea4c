package dev.cede.testbed.kubelet.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A pod's status as kubelet wants the API to show it. */
public record PodStatusView(
        PodSpec.Id pod,
        Phase phase,
        String reason,
        String message,
        Optional<Instant> started,
        List<ContainerView> containers) {

    public enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED;

        public boolean isFinal() {
            return this == SUCCEEDED || this == FAILED;
        }
    }

    /** One container, init containers included. */
    public record ContainerView(
            ContainerSpec spec,
            String containerId,
            int restarts,
            State state,
            Optional<State.Terminated> last) {}

    public sealed interface State {
        record Waiting(String reason, String message) implements State {}

        record Running(Instant started) implements State {}

        record Terminated(int exitCode, String reason, Optional<Instant> started, Instant finished)
                implements State {}
    }

    public PodStatusView {
        containers = List.copyOf(containers);
    }
}
