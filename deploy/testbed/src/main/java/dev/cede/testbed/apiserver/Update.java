package dev.cede.testbed.apiserver;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replaces objects, for PUT and for the outcome of a PATCH: preconditions, what belongs to the
 * server, and the line between an object and its status.
 */
final class Update {

    private static final List<String> SERVER_OWNED = List.of(
            "name",
            "namespace",
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation");

    private final Cluster cluster;

    Update(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Replaces the object; its status stays. */
    ObjectNode replace(Key key, ObjectNode incoming) {
        ObjectNode old = cluster.require(key);
        checkPreconditions(key, old, incoming);
        ObjectNode next = incoming.deepCopy();
        if (key.kind().has(ResourceKind.Trait.STATUS)) {
            next.remove("status");
            keep(next, old, "status");
        }
        if (key.kind().equals(Kinds.PODS)) {
            PodAdmission.applyDefaults(next);
            PodUpdate.checkSpec(key, old, next);
        }
        WorkloadAdmission.checkUpdate(key, old, next);
        return store(key, old, next);
    }

    /** Replaces the status; of the rest only labels and annotations, and those of few kinds. */
    ObjectNode replaceStatus(Key key, ObjectNode incoming) {
        ObjectNode old = cluster.require(key);
        checkPreconditions(key, old, incoming);
        ObjectNode next = old.deepCopy();
        next.remove("status");
        keep(next, incoming, "status");
        if (key.kind().equals(Kinds.PODS)) {
            PodUpdate.checkStatus(key, old, next);
        }
        if (key.kind().has(ResourceKind.Trait.STATUS_WRITES_LABELS)) {
            ObjectNode metadata = Json.child(next, "metadata");
            for (String field : List.of("labels", "annotations")) {
                metadata.remove(field);
                keep(metadata, Json.child(incoming, "metadata"), field);
            }
        }
        return store(key, old, next);
    }

    private static void keep(ObjectNode next, ObjectNode old, String field) {
        JsonNode value = old.get(field);
        if (value != null) {
            next.set(field, value);
        }
    }

    private static void checkPreconditions(Key key, ObjectNode old, ObjectNode incoming) {
        String name = Json.text(incoming, "metadata", "name");
        if (!name.isEmpty() && !name.equals(key.name())) {
            throw Refusal.badRequest("the name of the object (" + name
                    + ") does not match the name on the URL (" + key.name() + ")");
        }
        new Preconditions(
                        Json.text(incoming, "metadata", "uid"),
                        Json.text(incoming, "metadata", "resourceVersion"))
                .checkForUpdate(key, old);
    }

    /** Writes unless nothing changed; takes the object out if it only waited for its finalizers. */
    ObjectNode store(Key key, ObjectNode old, ObjectNode next) {
        ObjectNode metadata = Json.child(next, "metadata");
        ObjectNode oldMetadata = Json.child(old, "metadata");
        for (String field : SERVER_OWNED) {
            metadata.remove(field);
            keep(metadata, oldMetadata, field);
        }
        metadata.remove("managedFields");
        keep(metadata, oldMetadata, "resourceVersion");
        dropEmptyFinalizers(metadata);
        next.put("apiVersion", key.kind().apiVersion()).put("kind", key.kind().kind());
        if (Json.same(next, old)) {
            return old;
        }
        boolean specChanged = !Json.same(old.path("spec"), next.path("spec"));
        if (specChanged && metadata.has("generation")) {
            metadata.put("generation", Json.number(0, metadata, "generation") + 1);
        }
        return isReadyToGo(metadata) ? cluster.remove(key, next) : cluster.put(key, next);
    }

    private static void dropEmptyFinalizers(ObjectNode metadata) {
        if (metadata.get("finalizers") instanceof ArrayNode list && list.isEmpty()) {
            metadata.remove("finalizers");
        }
    }

    private static boolean isReadyToGo(ObjectNode metadata) {
        return Json.isPresent(metadata, "deletionTimestamp")
                && !metadata.has("finalizers")
                && Json.number(0, metadata, "deletionGracePeriodSeconds") == 0;
    }

    /** Changes one condition of the status; the time of transition only with its status. */
    static void setCondition(ObjectNode status, ObjectNode condition, String timestamp) {
        ArrayNode conditions = Json.array(status, "conditions");
        String type = Json.text(condition, "type");
        List<ObjectNode> all = Json.objects(status, "conditions");
        int at = 0;
        while (at < all.size() && !Json.text(all.get(at), "type").equals(type)) {
            at++;
        }
        boolean same = at < all.size()
                && Json.text(all.get(at), "status").equals(Json.text(condition, "status"));
        condition.put(
                "lastTransitionTime",
                same ? Json.text(all.get(at), "lastTransitionTime") : timestamp);
        if (at < all.size()) {
            conditions.set(at, condition);
        } else {
            conditions.add(condition);
        }
    }
}
