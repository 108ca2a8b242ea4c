package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps as many pods as each ReplicaSet asks for. Pods that are over or terminating do not count, so
 * their replacements come at once; what is over stays until somebody deletes it.
 */
final class ReplicaSetController {

    private final Cluster cluster;
    private final Creation creation;
    private final Update update;
    private final Deletion deletion;

    ReplicaSetController(Cluster cluster, Creation creation, Update update, Deletion deletion) {
        this.cluster = cluster;
        this.creation = creation;
        this.update = update;
        this.deletion = deletion;
    }

    void react(Change change) {
        Owners.concerned(cluster.store(), change, Kinds.REPLICA_SETS).forEach(this::reconcile);
    }

    private void reconcile(Key key) {
        Optional<ObjectNode> found = cluster.store().get(key);
        if (found.isEmpty()) {
            return;
        }
        Optional<String> failure =
                Owners.isDeleting(found.get()) ? Optional.empty() : adjust(found.get());
        cluster.store().get(key).ifPresent(replicaSet -> writeStatus(key, replicaSet, failure));
    }

    private List<ObjectNode> activePods(ObjectNode replicaSet) {
        return Owners.controlled(cluster.store(), replicaSet, Kinds.PODS).stream()
                .filter(Pods::isActive)
                .toList();
    }

    /** The sentence why a pod could not be created, if so. */
    private Optional<String> adjust(ObjectNode replicaSet) {
        List<ObjectNode> active = activePods(replicaSet);
        long wanted = Json.number(1, replicaSet, "spec", "replicas");
        if (active.size() > wanted) {
            active.stream()
                    .sorted(Pods.LEAST_NEEDED_FIRST)
                    .limit(active.size() - wanted)
                    .forEach(pod -> deletion.delete(
                            Key.of(Kinds.PODS, pod),
                            DeleteOptions.ofThis(pod, DeleteOptions.BACKGROUND)));
            return Optional.empty();
        }
        return create(replicaSet, wanted - active.size());
    }

    private Optional<String> create(ObjectNode replicaSet, long count) {
        String namespace = Json.text(replicaSet, "metadata", "namespace");
        try {
            for (long i = 0; i < count; i++) {
                creation.create(Kinds.PODS, namespace, podOf(replicaSet));
            }
            return Optional.empty();
        } catch (Refusal refusal) {
            return Optional.of(withoutDrawnName(replicaSet, refusal.getMessage()));
        }
    }

    /** A sentence that differed at each try would make each try a change, and so the next try. */
    private static String withoutDrawnName(ObjectNode replicaSet, String message) {
        String prefix = Json.text(replicaSet, "metadata", "name") + "-";
        return message.replaceAll(Pattern.quote(prefix) + "[a-z0-9]{5}\\b", prefix);
    }

    private static ObjectNode podOf(ObjectNode replicaSet) {
        ObjectNode pod = PodTemplate.podOf(replicaSet);
        String prefix = Json.text(replicaSet, "metadata", "name") + "-";
        Json.child(pod, "metadata").put("generateName", prefix);
        return pod;
    }

    private void writeStatus(Key key, ObjectNode replicaSet, Optional<String> failure) {
        List<ObjectNode> active = activePods(replicaSet);
        long ready = active.stream().filter(Pods::isReady).count();
        ObjectNode next = replicaSet.deepCopy();
        ObjectNode status = Json.child(next, "status");
        status.put("replicas", (long) active.size());
        status.put("fullyLabeledReplicas", (long) active.size());
        status.put("readyReplicas", ready).put("availableReplicas", ready);
        status.put("observedGeneration", Json.number(0, replicaSet, "metadata", "generation"));
        writeFailure(status, failure);
        if (!Json.same(next, replicaSet)) {
            update.replaceStatus(key, next);
        }
    }

    private void writeFailure(ObjectNode status, Optional<String> failure) {
        if (failure.isEmpty()) {
            ArrayNode conditions = Json.array(status, "conditions");
            conditions.removeIf(item -> Json.text(item, "type").equals("ReplicaFailure"));
            if (conditions.isEmpty()) {
                status.remove("conditions");
            }
            return;
        }
        ObjectNode condition = Json.newObject().put("type", "ReplicaFailure").put("status", "True");
        condition.put("reason", "FailedCreate").put("message", failure.get());
        Update.setCondition(status, condition, cluster.timestamp());
    }
}
