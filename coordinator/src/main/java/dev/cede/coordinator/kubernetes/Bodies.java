package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.model.PodRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is sent to the API server. */
final class Bodies {
    /** Longest text the API server takes in an event. */
    private static final int EVENT_CHARS = 1024;

    /** Who reports, in events. */
    private static final String COMPONENT = "cede-coordinator";

    private static final JsonMapper JSON = new JsonMapper();

    private Bodies() {}

    /** A condition as it is to be set. */
    record Condition(String type, String status, String reason, String message) {}

    /** What an event is about. */
    record Subject(String kind, String namespace, String name, String uid) {
        /** Where events about what has no namespace are kept. */
        private static final String DEFAULT = "default";

        static Subject pod(PodRef pod) {
            return new Subject("Pod", pod.namespace(), pod.name(), pod.uid());
        }

        static Subject node(String name, String uid) {
            return new Subject("Node", "", name, uid);
        }

        String eventsNamespace() {
            return namespace.isEmpty() ? DEFAULT : namespace;
        }
    }

    /** An event. */
    record Told(Subject subject, boolean warning, String reason, String message) {
        static Told of(PodRef pod, boolean warning, String reason, String message) {
            return new Told(Subject.pod(pod), warning, reason, message);
        }
    }

    static String binding(PodFacts pod, String node, Map<String, String> annotations) {
        ObjectNode body = object("v1", "Binding");
        ObjectNode meta = body.putObject("metadata")
                .put("namespace", pod.ref().namespace())
                .put("name", pod.ref().name())
                .put("uid", pod.uid())
                .put("resourceVersion", pod.resourceVersion());
        ObjectNode notes = meta.putObject("annotations");
        annotations.forEach(notes::put);
        body.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        return body.toString();
    }

    /** With the UID, and the version unless it is empty, as preconditions. */
    static String condition(PodRef pod, String version, Condition condition, Instant now) {
        ObjectNode body = patch(pod, version);
        body.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", condition.type())
                .put("status", condition.status())
                .put("reason", condition.reason())
                .put("message", condition.message())
                .put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        return body.toString();
    }

    static String nomination(PodRef pod, String node) {
        ObjectNode body = patch(pod, "");
        ObjectNode status = body.putObject("status");
        if (node.isEmpty()) {
            status.putNull("nominatedNodeName");
        } else {
            status.put("nominatedNodeName", node);
        }
        return body.toString();
    }

    static String phase(Effect.MoveGroup move) {
        ObjectNode body = JSON.createObjectNode();
        body.putObject("metadata").put("resourceVersion", move.group().version());
        body.putObject("status").put("phase", move.phase());
        return body.toString();
    }

    /** Without a grace period: the pod's own stands. */
    static String delete(PodRef pod, String version) {
        ObjectNode body = object("v1", "DeleteOptions");
        body.putObject("preconditions").put("uid", pod.uid()).put("resourceVersion", version);
        return body.toString();
    }

    static String event(Told event, String name, Instant now) {
        Subject subject = event.subject();
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode body = object("v1", "Event");
        body.putObject("metadata").put("namespace", subject.eventsNamespace()).put("name", name);
        ObjectNode involved = body.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", subject.kind())
                .put("name", subject.name())
                .put("uid", subject.uid());
        if (!subject.namespace().isEmpty()) {
            involved.put("namespace", subject.namespace());
        }
        body.put("type", event.warning() ? "Warning" : "Normal")
                .put("reason", event.reason())
                .put("message", shortened(event.message()))
                .put("firstTimestamp", time)
                .put("lastTimestamp", time)
                .put("count", 1)
                .put("reportingComponent", COMPONENT)
                .putObject("source")
                .put("component", COMPONENT);
        return body.toString();
    }

    private static String shortened(String message) {
        return message.length() <= EVENT_CHARS
                ? message
                : message.substring(0, EVENT_CHARS - 1) + "…";
    }

    private static ObjectNode patch(PodRef pod, String version) {
        ObjectNode body = JSON.createObjectNode();
        ObjectNode meta = body.putObject("metadata").put("uid", pod.uid());
        if (!version.isEmpty()) {
            meta.put("resourceVersion", version);
        }
        return body;
    }

    private static ObjectNode object(String apiVersion, String kind) {
        return JSON.createObjectNode().put("apiVersion", apiVersion).put("kind", kind);
    }
}
