package dev.cede.testbed.apiserver;

import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The binding of a pod to a node: one write that sets the node, the condition, the annotations. */
final class PodBinding {

    private static final String RESOURCE = "pods/binding";

    private final Cluster cluster;

    PodBinding(Cluster cluster) {
        this.cluster = cluster;
    }

    void bind(Key key, ObjectNode binding) {
        String target = Json.text(binding, "target", "kind");
        String node = Json.text(binding, "target", "name");
        if (node.isEmpty() || !(target.isEmpty() || target.equals("Node"))) {
            throw Refusal.invalid(
                    Kinds.PODS,
                    key.name(),
                    "target: Invalid value: a kind Node (or none) and a name are accepted");
        }
        ObjectNode old = cluster.require(key);
        Preconditions.of(binding.path("metadata")).check(key, old);
        requireBindable(key, old);
        ObjectNode next = old.deepCopy();
        assign(next, node, Json.strings(binding, "metadata", "annotations"));
        cluster.put(key, next);
    }

    private static void requireBindable(Key key, ObjectNode pod) {
        if (Json.isPresent(pod, "metadata", "deletionTimestamp")) {
            throw conflict(key, "is being deleted, cannot be assigned to a host");
        }
        String node = Json.text(pod, "spec", "nodeName");
        if (!node.isEmpty()) {
            throw conflict(key, "is already assigned to node \"" + node + "\"");
        }
        if (!Json.at(pod, "spec", "schedulingGates").isEmpty()) {
            throw conflict(key, "has non-empty .spec.schedulingGates");
        }
    }

    private static Refusal conflict(Key key, String why) {
        return Refusal.conflict(RESOURCE, key.name(), "pod " + key.name() + " " + why);
    }

    private void assign(ObjectNode pod, String node, Map<String, String> annotations) {
        ObjectNode spec = Json.child(pod, "spec");
        spec.put("nodeName", node);
        annotations.forEach(
                (name, value) -> Json.child(pod, "metadata", "annotations").put(name, value));
        ObjectNode status = Json.child(pod, "status");
        status.remove("nominatedNodeName");
        ObjectNode scheduled = Json.newObject().put("type", "PodScheduled").put("status", "True");
        scheduled.putNull("lastProbeTime");
        Update.setCondition(status, scheduled, cluster.timestamp());
        ObjectNode metadata = Json.child(pod, "metadata");
        metadata.put("generation", Json.number(0, metadata, "generation") + 1);
    }
}
