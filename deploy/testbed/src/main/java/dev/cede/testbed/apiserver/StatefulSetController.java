package dev.cede.testbed.apiserver;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps one pod of each ordinal of every StatefulSet. A pod's successor has its name, so it comes
 * only when the pod is gone. By default each pod waits until all before it are ready; with {@code
 * Parallel} none does. A pod that is made anew is always of the newest template.
 */
final class StatefulSetController {

    private static final String INDEX_LABEL = "apps.kubernetes.io/pod-index";
    private static final String REVISION_LABEL = "controller-revision-hash";

    private final Cluster cluster;
    private final Creation creation;
    private final Update update;
    private final Deletion deletion;

    StatefulSetController(Cluster cluster, Creation creation, Update update, Deletion deletion) {
        this.cluster = cluster;
        this.creation = creation;
        this.update = update;
        this.deletion = deletion;
    }

    void react(Change change) {
        Owners.concerned(cluster.store(), change, Kinds.STATEFUL_SETS).forEach(this::reconcile);
    }

    private void reconcile(Key key) {
        Optional<ObjectNode> found = cluster.store().get(key);
        found.filter(set -> !Owners.isDeleting(set)).ifPresent(this::adjust);
        cluster.store().get(key).ifPresent(set -> writeStatus(key, set));
    }

    private void adjust(ObjectNode set) {
        boolean inOrder = !Json.text(set, "spec", "podManagementPolicy").equals("Parallel");
        long first = firstOrdinal(set);
        for (long ordinal = first; ordinal < first + replicas(set); ordinal++) {
            boolean ready = keep(set, ordinal);
            if (inOrder && !ready) {
                return;
            }
        }
        if (giveUpSurplus(set, inOrder)) {
            rollOut(set);
        }
    }

    private static long firstOrdinal(ObjectNode set) {
        return Json.number(0, set, "spec", "ordinals", "start");
    }

    private static long replicas(ObjectNode set) {
        return Json.number(1, set, "spec", "replicas");
    }

    /** Whether the pod of this ordinal is there and ready; one that is over makes room for the next. */
    private boolean keep(ObjectNode set, long ordinal) {
        Key key = podKey(set, ordinal);
        cluster.store()
                .get(key)
                .filter(pod -> isPodOf(set, pod) && Pods.isOver(pod) && !Owners.isDeleting(pod))
                .ifPresent(this::delete);
        Optional<ObjectNode> pod = cluster.store().get(key);
        if (pod.isEmpty()) {
            create(set, ordinal);
        }
        return pod.filter(Pods::isActive).filter(Pods::isReady).isPresent();
    }

    private static Key podKey(ObjectNode set, long ordinal) {
        return new Key(
                Kinds.PODS,
                Json.text(set, "metadata", "namespace"),
                Json.text(set, "metadata", "name") + "-" + ordinal);
    }

    private static boolean isPodOf(ObjectNode set, ObjectNode pod) {
        return Owners.controller(pod, Kinds.STATEFUL_SETS)
                .filter(Json.text(set, "metadata", "uid")::equals)
                .isPresent();
    }

    private void create(ObjectNode set, long ordinal) {
        Key key = podKey(set, ordinal);
        ObjectNode pod = PodTemplate.podOf(set);
        ObjectNode metadata = Json.child(pod, "metadata");
        metadata.put("name", key.name());
        Json.child(metadata, "labels")
                .put("statefulset.kubernetes.io/pod-name", key.name())
                .put(INDEX_LABEL, Long.toString(ordinal))
                .put(REVISION_LABEL, revision(set));
        ObjectNode spec = Json.child(pod, "spec").put("hostname", key.name());
        String service = Json.text(set, "spec", "serviceName");
        if (!service.isEmpty()) {
            spec.put("subdomain", service);
        }
        try {
            creation.create(Kinds.PODS, key.namespace(), pod);
        } catch (Refusal refusal) {
            // Tried again when what it lacked may be there; the status has no place for a reason.
        }
    }

    private static String revision(ObjectNode set) {
        String template = Json.canonical(Json.at(set, "spec", "template"));
        return Json.text(set, "metadata", "name") + "-" + Names.hashOf(template);
    }

    /** From the highest ordinal down; whether no such pod is left to wait for. */
    private boolean giveUpSurplus(ObjectNode set, boolean inOrder) {
        long first = firstOrdinal(set);
        long end = first + replicas(set);
        for (ObjectNode pod : highestFirst(set)) {
            boolean surplus = ordinal(pod) < first || ordinal(pod) >= end;
            if (surplus && !Owners.isDeleting(pod)) {
                delete(pod);
            }
            if (surplus && inOrder) {
                return false;
            }
        }
        return true;
    }

    private List<ObjectNode> highestFirst(ObjectNode set) {
        return Owners.controlled(cluster.store(), set, Kinds.PODS).stream()
                .filter(pod ->
                        Json.text(pod, "metadata", "labels", INDEX_LABEL).matches("\\d{1,9}"))
                .sorted(Comparator.comparingLong(StatefulSetController::ordinal).reversed())
                .toList();
    }

    private static long ordinal(ObjectNode pod) {
        return Long.parseLong(Json.text(pod, "metadata", "labels", INDEX_LABEL));
    }

    private void delete(ObjectNode pod) {
        deletion.delete(
                Key.of(Kinds.PODS, pod), DeleteOptions.ofThis(pod, DeleteOptions.BACKGROUND));
    }

    /** Replaces pods of an older template one by one, from the highest ordinal down. */
    private void rollOut(ObjectNode set) {
        if (Json.text(set, "spec", "updateStrategy", "type").equals("OnDelete")) {
            return;
        }
        for (ObjectNode pod : highestFirst(set)) {
            if (!isNewest(set, pod) && !Owners.isDeleting(pod)) {
                delete(pod);
                return;
            }
            if (!Pods.isActive(pod) || !Pods.isReady(pod)) {
                return;
            }
        }
    }

    private static boolean isNewest(ObjectNode set, ObjectNode pod) {
        return isOfRevision(revision(set), pod);
    }

    private static boolean isOfRevision(String revision, ObjectNode pod) {
        return Json.text(pod, "metadata", "labels", REVISION_LABEL).equals(revision);
    }

    private void writeStatus(Key key, ObjectNode set) {
        List<ObjectNode> pods = Owners.controlled(cluster.store(), set, Kinds.PODS);
        long ready = pods.stream().filter(Pods::isReady).count();
        ObjectNode next = set.deepCopy();
        ObjectNode status = Json.child(next, "status");
        status.put("observedGeneration", Json.number(0, set, "metadata", "generation"));
        status.put("replicas", (long) pods.size()).put("collisionCount", 0);
        status.put("readyReplicas", ready).put("availableReplicas", ready);
        writeRevisions(status, revision(set), pods);
        if (!Json.same(next, set)) {
            update.replaceStatus(key, next);
        }
    }

    /** The newest revision is the current one when no pod is of another. */
    private static void writeRevisions(ObjectNode status, String newest, List<ObjectNode> pods) {
        String before = Json.text(status, "currentRevision");
        boolean all = pods.stream().allMatch(pod -> isOfRevision(newest, pod));
        String current = all || before.isEmpty() ? newest : before;
        status.put("currentRevision", current).put("updateRevision", newest);
        status.put("currentReplicas", count(current, pods));
        status.put("updatedReplicas", count(newest, pods));
    }

    private static long count(String revision, List<ObjectNode> pods) {
        return pods.stream()
                .filter(pod -> !Owners.isDeleting(pod) && isOfRevision(revision, pod))
                .count();
    }
}
