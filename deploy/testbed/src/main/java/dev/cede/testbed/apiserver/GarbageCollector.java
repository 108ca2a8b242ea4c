package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Deletes what no owner is left for, and keeps the order that Foreground and Orphan ask for. */
final class GarbageCollector {

    private final Cluster cluster;
    private final Deletion deletion;

    GarbageCollector(Cluster cluster, Deletion deletion) {
        this.cluster = cluster;
        this.deletion = deletion;
    }

    void react(Change change) {
        switch (change.type()) {
            case ADDED -> collect(change.key());
            case MODIFIED -> {
                if (Owners.isDeleting(change.object())) {
                    releaseDependents(change.key());
                }
            }
            case DELETED -> {
                String uid = Json.text(change.object(), "metadata", "uid");
                cluster.store().dependentsOf(uid).keySet().forEach(this::collect);
                for (ObjectNode owner :
                        Json.objects(change.object(), "metadata", "ownerReferences")) {
                    cluster.store()
                            .keyOfUid(Json.text(owner, "uid"))
                            .ifPresent(this::releaseDependents);
                }
            }
        }
    }

    /** An owner of a kind that is not served here counts as there. */
    private boolean isThere(JsonNode reference) {
        return Owners.kindOf(reference).isEmpty()
                || cluster.store().hasUid(Json.text(reference, "uid"));
    }

    private void collect(Key key) {
        ObjectNode object = cluster.store().get(key).orElse(null);
        if (object == null || Owners.isDeleting(object)) {
            return;
        }
        List<ObjectNode> owners = Json.objects(object, "metadata", "ownerReferences");
        List<ObjectNode> left = owners.stream().filter(this::isThere).toList();
        if (left.size() == owners.size()) {
            return;
        }
        if (left.isEmpty()) {
            deletion.delete(key, DeleteOptions.ofThis(object, DeleteOptions.BACKGROUND));
        } else {
            putOwners(key, object, left);
        }
    }

    private void putOwners(Key key, ObjectNode object, List<ObjectNode> owners) {
        ObjectNode next = object.deepCopy();
        ArrayNode list = Json.child(next, "metadata").putArray("ownerReferences");
        owners.forEach(list::add);
        if (owners.isEmpty()) {
            Json.child(next, "metadata").remove("ownerReferences");
        }
        cluster.put(key, next);
    }

    private void releaseDependents(Key ownerKey) {
        ObjectNode owner = cluster.store().get(ownerKey).orElse(null);
        if (owner == null || !Owners.isDeleting(owner)) {
            return;
        }
        List<String> finalizers = Json.at(owner, "metadata", "finalizers")
                .valueStream()
                .map(Json::text)
                .toList();
        if (finalizers.contains(Deletion.ORPHAN_FINALIZER)) {
            orphan(ownerKey, owner);
        } else if (finalizers.contains(Deletion.FOREGROUND_FINALIZER)) {
            deleteBefore(ownerKey, owner);
        }
    }

    private void orphan(Key ownerKey, ObjectNode owner) {
        String uid = Json.text(owner, "metadata", "uid");
        for (Map.Entry<Key, ObjectNode> entry :
                cluster.store().dependentsOf(uid).entrySet()) {
            List<ObjectNode> others =
                    Json.objects(entry.getValue(), "metadata", "ownerReferences").stream()
                            .filter(reference -> !Json.text(reference, "uid").equals(uid))
                            .toList();
            putOwners(entry.getKey(), entry.getValue(), others);
        }
        deletion.removeFinalizer(ownerKey, Deletion.ORPHAN_FINALIZER);
    }

    private void deleteBefore(Key ownerKey, ObjectNode owner) {
        String uid = Json.text(owner, "metadata", "uid");
        for (Map.Entry<Key, ObjectNode> entry :
                cluster.store().dependentsOf(uid).entrySet()) {
            if (!Owners.isDeleting(entry.getValue())) {
                String own = Json.text(entry.getValue(), "metadata", "uid");
                boolean leaf = cluster.store().dependentsOf(own).isEmpty();
                String propagation = leaf ? DeleteOptions.BACKGROUND : DeleteOptions.FOREGROUND;
                deletion.delete(
                        entry.getKey(), DeleteOptions.ofThis(entry.getValue(), propagation));
            }
        }
        boolean blocked = cluster.store().dependentsOf(uid).values().stream()
                .flatMap(object -> Json.objects(object, "metadata", "ownerReferences").stream())
                .filter(reference -> Json.text(reference, "uid").equals(uid))
                .anyMatch(reference -> reference.path("blockOwnerDeletion").asBoolean(false));
        if (!blocked && cluster.store().get(ownerKey).isPresent()) {
            deletion.removeFinalizer(ownerKey, Deletion.FOREGROUND_FINALIZER);
        }
    }
}
