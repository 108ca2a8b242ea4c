package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The cells of a pod that are worked out from its containers. */
final class PodRow {

    private PodRow() {}

    static String ready(ObjectNode pod) {
        long ready = Json.objects(pod, "status", "containerStatuses").stream()
                .filter(container -> container.path("ready").asBoolean(false))
                .count();
        return ready + "/" + Json.objects(pod, "spec", "containers").size();
    }

    static String restarts(ObjectNode pod) {
        long restarts = Json.objects(pod, "status", "containerStatuses").stream()
                .mapToLong(container -> Json.number(0, container, "restartCount"))
                .sum();
        return Long.toString(restarts);
    }

    static String status(ObjectNode pod) {
        if (Owners.isDeleting(pod) && !Pods.isOver(pod)) {
            return "Terminating";
        }
        String own = Json.text(pod, "status", "reason");
        String reason = own.isEmpty() ? Pods.phase(pod) : own;
        if (!Json.at(pod, "spec", "schedulingGates").isEmpty()) {
            reason = "SchedulingGated";
        }
        boolean running = false;
        List<ObjectNode> containers =
                new ArrayList<>(Json.objects(pod, "status", "containerStatuses"));
        for (ObjectNode container : containers.reversed()) {
            JsonNode state = container.path("state");
            reason = stateReason(state, reason);
            running |= state.has("running") && container.path("ready").asBoolean(false);
        }
        if (reason.equals("Completed") && running) {
            return Pods.isReady(pod) ? "Running" : "NotReady";
        }
        return reason;
    }

    private static String stateReason(JsonNode state, String otherwise) {
        String waiting = Json.text(state, "waiting", "reason");
        if (!waiting.isEmpty()) {
            return waiting;
        }
        if (!state.has("terminated")) {
            return otherwise;
        }
        String reason = Json.text(state, "terminated", "reason");
        long signal = Json.number(0, state, "terminated", "signal");
        long exitCode = Json.number(0, state, "terminated", "exitCode");
        String told = signal != 0 ? "Signal:" + signal : "ExitCode:" + exitCode;
        return reason.isEmpty() ? told : reason;
    }
}
