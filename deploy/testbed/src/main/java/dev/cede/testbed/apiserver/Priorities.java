package dev.cede.testbed.apiserver;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Priority of a new pod: its class, else the global default, else 0. */
final class Priorities {

    /** The two classes every cluster has, with their published values. */
    static final Map<String, Integer> BUILT_IN =
            Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);

    private static final String NAME = "priorityClassName";

    private final Store store;

    Priorities(Store store) {
        this.store = store;
    }

    void admit(ObjectNode pod, String podName) {
        ObjectNode spec = Json.child(pod, "spec");
        Optional<ObjectNode> priorityClass = classOf(spec, podName);
        priorityClass.ifPresent(found -> spec.put(NAME, Json.text(found, "metadata", "name")));
        long value = priorityClass.map(found -> Json.number(0, found, "value")).orElse(0L);
        requireSame(spec.path("priority"), value, podName);
        spec.put("priority", value);
        String policy = priorityClass
                .map(found -> Json.text(found, "preemptionPolicy"))
                .filter(text -> !text.isEmpty())
                .orElse("PreemptLowerPriority");
        spec.put("preemptionPolicy", policy);
    }

    private static void requireSame(JsonNode asked, long value, String podName) {
        if (asked.isNumber() && asked.asLong(value) != value) {
            throw Refusal.forbidden(
                    Kinds.PODS,
                    podName,
                    ("the integer value of priority (%s) must not be provided in pod spec; priority "
                                    + "admission controller computed %d from the given PriorityClass name")
                            .formatted(asked, value));
        }
    }

    private Optional<ObjectNode> classOf(ObjectNode spec, String podName) {
        String name = Json.text(spec, NAME);
        if (name.isEmpty()) {
            return globalDefault();
        }
        Optional<ObjectNode> found = store.get(new Key(Kinds.PRIORITY_CLASSES, "", name));
        if (found.isEmpty()) {
            throw Refusal.forbidden(
                    Kinds.PODS, podName, "no PriorityClass with name " + name + " was found");
        }
        return found;
    }

    /** Of several the one with the lowest value. */
    private Optional<ObjectNode> globalDefault() {
        return store.list(Kinds.PRIORITY_CLASSES, "").stream()
                .filter(found -> found.path("globalDefault").asBoolean(false))
                .min(Comparator.comparingLong(found -> Json.number(0, found, "value")));
    }
}
