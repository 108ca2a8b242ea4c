package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** The binding of a pod to a node: one write that sets the node, the condition, annotations and labels. */
final class PodBinding {

    private static final String RESOURCE = "pods/binding";

    private static final List<String> TOPOLOGY =
            List.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

    private final Cluster cluster;

    PodBinding(Cluster cluster) {
        this.cluster = cluster;
    }

    void bind(Key key, ObjectNode binding) {
        String name = Json.text(binding, "metadata", "name");
        if (!name.equals(key.name())) {
            throw Refusal.badRequest(
                    "the binding names pod \"" + name + "\", the URL names \"" + key.name() + "\"");
        }
        String target = Json.text(binding, "target", "kind");
        String node = Json.text(binding, "target", "name");
        if (node.isEmpty() || !(target.isEmpty() || target.equals("Node"))) {
            throw Refusal.unclassified("target: a kind Node (or none) and a name are accepted");
        }
        ObjectNode old = cluster.require(key);
        Preconditions.of(binding.path("metadata")).check(key, old);
        requireBindable(key, old);
        ObjectNode next = old.deepCopy();
        merge(next, "annotations", Json.strings(binding, "metadata", "annotations"));
        merge(next, "labels", Json.strings(binding, "metadata", "labels"));
        merge(next, "labels", topologyOf(node));
        assign(next, node);
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

    private static void merge(ObjectNode pod, String field, Map<String, String> more) {
        more.forEach((name, value) -> Json.child(pod, "metadata", field).put(name, value));
    }

    /** A bound pod wears the zone and the region of its node. */
    private Map<String, String> topologyOf(String node) {
        Map<String, String> labels = cluster.store()
                .get(new Key(Kinds.NODES, "", node))
                .map(found -> Json.strings(found, "metadata", "labels"))
                .orElseGet(TreeMap::new);
        labels.keySet().retainAll(TOPOLOGY);
        return labels;
    }

    /** Does not count as a change of the spec: the generation stays. */
    private void assign(ObjectNode pod, String node) {
        Json.child(pod, "spec").put("nodeName", node);
        ObjectNode status = Json.child(pod, "status");
        status.remove("nominatedNodeName");
        ObjectNode scheduled = Json.newObject().put("type", "PodScheduled").put("status", "True");
        scheduled.putNull("lastProbeTime");
        Update.setCondition(status, scheduled, cluster.timestamp());
    }
}
