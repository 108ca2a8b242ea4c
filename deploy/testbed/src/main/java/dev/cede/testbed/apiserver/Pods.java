package dev.cede.testbed.apiserver;

import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What controllers and tables ask of a pod. */
final class Pods {

    private static final List<String> PHASES = List.of("Pending", "Unknown", "Running");

    /** Which of its pods a ReplicaSet gives up first. */
    static final Comparator<ObjectNode> LEAST_NEEDED_FIRST = Comparator.comparing(
                    (ObjectNode pod) -> !Json.text(pod, "spec", "nodeName").isEmpty())
            .thenComparing(pod -> PHASES.indexOf(phase(pod)))
            .thenComparing(Pods::isReady)
            .thenComparing(
                    pod -> Json.text(pod, "metadata", "creationTimestamp"),
                    Comparator.reverseOrder())
            .thenComparing(pod -> Json.text(pod, "metadata", "name"));

    private Pods() {}

    static String phase(JsonNode pod) {
        return Json.text(pod, "status", "phase");
    }

    static boolean isOver(JsonNode pod) {
        return phase(pod).equals("Succeeded") || phase(pod).equals("Failed");
    }

    /** Whether it counts for its ReplicaSet. */
    static boolean isActive(JsonNode pod) {
        return !isOver(pod) && !Owners.isDeleting(pod);
    }

    static boolean isReady(JsonNode pod) {
        return hasCondition(pod, "Ready");
    }

    static boolean hasCondition(JsonNode object, String type) {
        return Json.objects(object, "status", "conditions").stream()
                .filter(condition -> Json.text(condition, "type").equals(type))
                .anyMatch(condition -> Json.text(condition, "status").equals("True"));
    }
}
