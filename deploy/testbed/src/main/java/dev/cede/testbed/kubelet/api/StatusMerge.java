package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.PodStatusView;
import dev.cede.testbed.kubelet.core.PodStatusView.ContainerView;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import dev.cede.testbed.kubelet.core.PodStatusView.State;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts kubelet's view into a pod's status beside what others wrote there. */
public final class StatusMerge {
    private StatusMerge() {}

    /**
     * The status to be written.
     *
     * @param current the status as the API has it, null if it has none
     * @param now when conditions that change are said to have changed
     */
    public static PodStatus merge(PodStatus current, PodStatusView view, Instant now) {
        PodStatus base = current == null ? new PodStatus() : current;
        return new PodStatusBuilder(base)
                .withPhase(phase(view.phase()))
                .withReason(view.reason().isEmpty() ? base.getReason() : view.reason())
                .withMessage(view.message().isEmpty() ? base.getMessage() : view.message())
                .withStartTime(view.started().map(StatusMerge::time).orElse(base.getStartTime()))
                .withConditions(conditions(base, view, now))
                .withInitContainerStatuses(containers(view, true))
                .withContainerStatuses(containers(view, false))
                .build();
    }

    private static String phase(Phase phase) {
        return switch (phase) {
            case PENDING -> "Pending";
            case RUNNING -> "Running";
            case SUCCEEDED -> "Succeeded";
            case FAILED -> "Failed";
        };
    }

    /** Kubernetes' timestamps have whole seconds. */
    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static List<PodCondition> conditions(PodStatus base, PodStatusView view, Instant now) {
        Map<String, PodCondition> byType = new LinkedHashMap<>();
        base.getConditions().forEach(condition -> byType.put(condition.getType(), condition));
        if (!view.containers().isEmpty()) {
            boolean ready = view.phase() == Phase.RUNNING
                    && view.containers().stream()
                            .filter(container -> container.spec().kind() == Kind.APP)
                            .allMatch(container -> container.state() instanceof State.Running);
            put(byType, now, "PodScheduled", true);
            put(byType, now, "Initialized", initialized(view));
            put(byType, now, "ContainersReady", ready);
            put(byType, now, "Ready", ready);
        }
        return new ArrayList<>(byType.values());
    }

    private static boolean initialized(PodStatusView view) {
        return view.containers().stream()
                .filter(container -> container.spec().kind() == Kind.INIT)
                .allMatch(container -> container.state() instanceof State.Terminated ended
                        && ended.exitCode() == 0);
    }

    private static void put(
            Map<String, PodCondition> byType, Instant now, String type, boolean holds) {
        String status = holds ? "True" : "False";
        PodCondition had = byType.get(type);
        if (had == null || !status.equals(had.getStatus())) {
            byType.put(
                    type,
                    new PodConditionBuilder()
                            .withType(type)
                            .withStatus(status)
                            .withLastTransitionTime(time(now))
                            .build());
        }
    }

    private static List<ContainerStatus> containers(PodStatusView view, boolean init) {
        return view.containers().stream()
                .filter(container -> (container.spec().kind() != Kind.APP) == init)
                .map(StatusMerge::container)
                .toList();
    }

    private static ContainerStatus container(ContainerView view) {
        boolean running = view.state() instanceof State.Running;
        boolean ready = running
                || (view.spec().kind() == Kind.INIT
                        && view.state() instanceof State.Terminated ended
                        && ended.exitCode() == 0);
        return new ContainerStatusBuilder()
                .withName(view.spec().name())
                .withImage(view.spec().image())
                .withImageID("")
                .withContainerID(
                        view.containerId().isEmpty() ? null : "containerd://" + view.containerId())
                .withRestartCount(view.restarts())
                .withReady(ready)
                .withStarted(running)
                .withState(state(view.state()))
                .withLastState(view.last().map(StatusMerge::state).orElse(new ContainerState()))
                .build();
    }

    private static ContainerState state(State state) {
        return switch (state) {
            case State.Waiting waiting ->
                new ContainerStateBuilder()
                        .withNewWaiting(
                                waiting.message().isEmpty() ? null : waiting.message(),
                                waiting.reason())
                        .build();
            case State.Running running ->
                new ContainerStateBuilder()
                        .withNewRunning(time(running.started()))
                        .build();
            case State.Terminated ended ->
                new ContainerStateBuilder()
                        .withNewTerminated()
                        .withExitCode(ended.exitCode())
                        .withReason(ended.reason())
                        .withStartedAt(ended.started().map(StatusMerge::time).orElse(null))
                        .withFinishedAt(time(ended.finished()))
                        .endTerminated()
                        .build();
        };
    }
}
