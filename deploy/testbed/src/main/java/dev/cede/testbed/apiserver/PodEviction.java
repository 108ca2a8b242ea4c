package dev.cede.testbed.apiserver;

import tools.jackson.databind.node.ObjectNode;

/** The eviction of a pod: a condition that says why, then an ordinary delete. No budget is asked. */
final class PodEviction {

    private final Cluster cluster;
    private final Deletion deletion;

    PodEviction(Cluster cluster, Deletion deletion) {
        this.cluster = cluster;
        this.deletion = deletion;
    }

    void evict(Key key, DeleteOptions options) {
        ObjectNode old = cluster.require(key);
        options.preconditions().check(key, old);
        if (!Json.isPresent(old, "metadata", "deletionTimestamp")) {
            markDisrupted(key, old);
        }
        // The condition was a write of its own, so the version asked for is the one before it.
        Preconditions sameObject = new Preconditions(Json.text(old, "metadata", "uid"), "");
        deletion.delete(key, new DeleteOptions(sameObject, options.grace(), options.propagation()));
    }

    private void markDisrupted(Key key, ObjectNode old) {
        ObjectNode next = old.deepCopy();
        ObjectNode condition =
                Json.newObject().put("type", "DisruptionTarget").put("status", "True");
        condition.put("reason", "EvictionByEvictionAPI");
        condition.put("message", "Eviction API: evicting");
        condition.putNull("lastProbeTime");
        Update.setCondition(Json.child(next, "status"), condition, cluster.timestamp());
        cluster.put(key, next);
    }
}
