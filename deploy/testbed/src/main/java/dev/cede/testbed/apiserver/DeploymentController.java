package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Keeps one ReplicaSet per template of each Deployment and moves the replicas to the newest. */
final class DeploymentController {

    private static final String HASH_LABEL = "pod-template-hash";

    private final Cluster cluster;
    private final Creation creation;
    private final Update update;

    DeploymentController(Cluster cluster, Creation creation, Update update) {
        this.cluster = cluster;
        this.creation = creation;
        this.update = update;
    }

    void react(Change change) {
        ResourceKind kind = change.key().kind();
        if (kind.equals(Kinds.DEPLOYMENTS)) {
            reconcile(change.key());
        } else if (kind.equals(Kinds.REPLICA_SETS)) {
            Owners.controller(change.object(), Kinds.DEPLOYMENTS)
                    .flatMap(cluster.store()::keyOfUid)
                    .ifPresent(this::reconcile);
        } else if (kind.equals(Kinds.PODS) && change.type() == Change.Type.DELETED) {
            // The strategy Recreate waits for the last old pod.
            Owners.controller(change.object(), Kinds.REPLICA_SETS)
                    .flatMap(cluster.store()::keyOfUid)
                    .flatMap(cluster.store()::get)
                    .flatMap(replicaSet -> Owners.controller(replicaSet, Kinds.DEPLOYMENTS))
                    .flatMap(cluster.store()::keyOfUid)
                    .ifPresent(this::reconcile);
        }
    }

    private void reconcile(Key key) {
        Optional<ObjectNode> found = cluster.store().get(key);
        if (found.isEmpty() || Owners.isDeleting(found.get())) {
            return;
        }
        ObjectNode deployment = found.get();
        if (newReplicaSet(deployment).isEmpty()) {
            createReplicaSet(deployment);
        }
        if (!isPaused(deployment)) {
            targets(deployment, newReplicaSet(deployment).orElseThrow()).forEach(this::scale);
        }
        writeStatus(key, deployment);
    }

    private List<ObjectNode> replicaSets(ObjectNode deployment) {
        return Owners.controlled(cluster.store(), deployment, Kinds.REPLICA_SETS).stream()
                .filter(replicaSet -> !Owners.isDeleting(replicaSet))
                .toList();
    }

    private Optional<ObjectNode> newReplicaSet(ObjectNode deployment) {
        String wanted = template(deployment);
        return replicaSets(deployment).stream()
                .filter(replicaSet -> template(replicaSet).equals(wanted))
                .findFirst();
    }

    private static String template(ObjectNode owner) {
        JsonNode template = Json.at(owner, "spec", "template").deepCopy();
        if (Json.at(template, "metadata", "labels") instanceof ObjectNode labels) {
            labels.remove(HASH_LABEL);
        }
        return Json.canonical(template);
    }

    private void createReplicaSet(ObjectNode deployment) {
        String hash = Names.hashOf(template(deployment));
        ObjectNode replicaSet = Json.newObject();
        String namespace = Json.text(deployment, "metadata", "namespace");
        ObjectNode metadata = replicaSet.putObject("metadata").put("namespace", namespace);
        metadata.put("name", Json.text(deployment, "metadata", "name") + "-" + hash);
        metadata.putArray("ownerReferences").add(Owners.controllerReference(deployment));
        ObjectNode spec = replicaSet.putObject("spec").put("replicas", 0L);
        spec.set("selector", Json.at(deployment, "spec", "selector").deepCopy());
        spec.set("template", Json.at(deployment, "spec", "template").deepCopy());
        Json.child(spec, "selector", "matchLabels").put(HASH_LABEL, hash);
        Json.child(spec, "template", "metadata", "labels").put(HASH_LABEL, hash);
        metadata.set("labels", Json.at(spec, "template", "metadata", "labels").deepCopy());
        if (!isPaused(deployment)) {
            // It is born with its number, so that nobody sees pods that it does not ask for.
            Key key = Key.of(Kinds.REPLICA_SETS, replicaSet);
            spec.put("replicas", targets(deployment, replicaSet).get(key));
        }
        creation.create(Kinds.REPLICA_SETS, namespace, replicaSet);
    }

    private static boolean isPaused(ObjectNode deployment) {
        return deployment.path("spec").path("paused").asBoolean(false);
    }

    /** Replicas that each ReplicaSet is to have now; those not named keep theirs. */
    private Map<Key, Long> targets(ObjectNode deployment, ObjectNode newest) {
        Key newestKey = Key.of(Kinds.REPLICA_SETS, newest);
        List<ObjectNode> old = replicaSets(deployment).stream()
                .filter(replicaSet -> !Key.of(Kinds.REPLICA_SETS, replicaSet).equals(newestKey))
                .toList();
        boolean recreate = Json.text(deployment, "spec", "strategy", "type").equals("Recreate");
        boolean wait = recreate && old.stream().anyMatch(this::hasPods);
        return Rollout.of(deployment, newest, old).next(recreate, wait);
    }

    private boolean hasPods(ObjectNode replicaSet) {
        return Owners.controlled(cluster.store(), replicaSet, Kinds.PODS).stream()
                .anyMatch(pod -> !Pods.isOver(pod));
    }

    private void scale(Key key, long replicas) {
        ObjectNode next = cluster.require(key).deepCopy();
        if (Json.number(0, next, "spec", "replicas") != replicas) {
            Json.child(next, "spec").put("replicas", replicas);
            update.replace(key, next);
        }
    }

    private void writeStatus(Key key, ObjectNode deployment) {
        List<ObjectNode> all = replicaSets(deployment);
        long wanted = Json.number(1, deployment, "spec", "replicas");
        long available = sum(all, "availableReplicas");
        ObjectNode next = deployment.deepCopy();
        ObjectNode status = Json.child(next, "status");
        status.put("observedGeneration", Json.number(0, deployment, "metadata", "generation"));
        status.put("replicas", sum(all, "replicas"));
        long updated = newReplicaSet(deployment)
                .map(replicaSet -> Json.number(0, replicaSet, "status", "replicas"))
                .orElse(0L);
        status.put("updatedReplicas", updated);
        status.put("readyReplicas", sum(all, "readyReplicas")).put("availableReplicas", available);
        status.put(
                "unavailableReplicas",
                Math.max(0, Math.max(wanted, sum(all, "replicas")) - available));
        long least = wanted - Rollout.maxUnavailable(deployment, wanted);
        condition(status, "Available", available >= least, "MinimumReplicas");
        condition(status, "Progressing", true, "NewReplicaSet");
        if (!Json.same(next, deployment)) {
            update.replaceStatus(key, next);
        }
    }

    private void condition(ObjectNode status, String type, boolean holds, String about) {
        ObjectNode condition =
                Json.newObject().put("type", type).put("status", holds ? "True" : "False");
        condition.put("reason", about + (holds ? "Available" : "Unavailable"));
        Update.setCondition(status, condition, cluster.timestamp());
    }

    private static long sum(List<ObjectNode> replicaSets, String field) {
        return replicaSets.stream()
                .mapToLong(replicaSet -> Json.number(0, replicaSet, "status", field))
                .sum();
    }
}
