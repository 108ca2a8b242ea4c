package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** What of a pod may be changed after it was made. */
final class PodUpdate {

    /** What may change in the spec of a pod. */
    private static final List<String> MUTABLE = List.of(
            "activeDeadlineSeconds",
            "tolerations",
            "terminationGracePeriodSeconds",
            "schedulingGates");

    private PodUpdate() {}

    static void checkSpec(Key key, ObjectNode old, ObjectNode next) {
        if (!Json.same(comparable(old), comparable(next))) {
            throw Refusal.invalid(
                    key.kind(),
                    key.name(),
                    "spec: Forbidden: pod updates may not change fields other than "
                            + "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                            + "`spec.activeDeadlineSeconds`,`spec.tolerations` and "
                            + "`spec.terminationGracePeriodSeconds`");
        }
        Set<String> gates = gates(next);
        gates.removeAll(gates(old));
        if (!gates.isEmpty()) {
            throw Refusal.invalid(
                    key.kind(),
                    key.name(),
                    "spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling "
                            + "gates " + gates);
        }
    }

    private static ObjectNode comparable(ObjectNode pod) {
        ObjectNode spec = Json.at(pod, "spec") instanceof ObjectNode found
                ? found.deepCopy()
                : Json.newObject();
        spec.remove(MUTABLE);
        for (String list : List.of("initContainers", "containers")) {
            Json.objects(spec, list).forEach(container -> container.remove("image"));
        }
        return spec;
    }

    private static Set<String> gates(ObjectNode pod) {
        Set<String> names = new TreeSet<>();
        Json.objects(pod, "spec", "schedulingGates")
                .forEach(gate -> names.add(Json.text(gate, "name")));
        return names;
    }

    /** The QoS class may be left out, which changes nothing. */
    static void checkStatus(Key key, ObjectNode old, ObjectNode next) {
        ObjectNode status = Json.child(next, "status");
        if (!status.has("qosClass")) {
            status.put("qosClass", Json.text(old, "status", "qosClass"));
        }
        if (!Json.text(status, "qosClass").equals(Json.text(old, "status", "qosClass"))) {
            throw Refusal.invalid(
                    key.kind(), key.name(), "status.qosClass: Invalid value: it cannot be changed");
        }
        String nominated = Json.text(status, "nominatedNodeName");
        boolean bound = !Json.text(old, "spec", "nodeName").isEmpty();
        if (bound
                && !nominated.isEmpty()
                && !nominated.equals(Json.text(old, "status", "nominatedNodeName"))) {
            throw Refusal.invalid(
                    key.kind(),
                    key.name(),
                    "status.nominatedNodeName: Forbidden: the pod is bound to a node already");
        }
    }
}
