package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Owner references, read and made. */
final class Owners {

    private Owners() {}

    /** UID of the owner that controls the object, if it is of this kind. */
    static Optional<String> controller(JsonNode object, ResourceKind kind) {
        return Json.objects(object, "metadata", "ownerReferences").stream()
                .filter(reference -> reference.path("controller").asBoolean(false))
                .filter(reference -> kindOf(reference).filter(kind::equals).isPresent())
                .map(reference -> Json.text(reference, "uid"))
                .findFirst();
    }

    static Optional<ResourceKind> kindOf(JsonNode reference) {
        return Kinds.ofReference(Json.text(reference, "apiVersion"), Json.text(reference, "kind"));
    }

    /** The objects of a kind that this one controls, by name. */
    static List<ObjectNode> controlled(Store store, ObjectNode owner, ResourceKind kind) {
        String uid = Json.text(owner, "metadata", "uid");
        List<ObjectNode> found = new ArrayList<>();
        store.dependentsOf(uid).forEach((key, object) -> {
            boolean controls = Json.objects(object, "metadata", "ownerReferences").stream()
                    .filter(reference -> reference.path("controller").asBoolean(false))
                    .anyMatch(reference -> Json.text(reference, "uid").equals(uid));
            if (key.kind().equals(kind) && controls) {
                found.add(object);
            }
        });
        return found;
    }

    /**
     * The objects of a kind of controller that a change may give work: itself, the owner of a pod,
     * or all when what a pod template lacked may be there now.
     */
    static List<Key> concerned(Store store, Change change, ResourceKind kind) {
        ResourceKind changed = change.key().kind();
        if (changed.equals(kind)) {
            return List.of(change.key());
        }
        if (changed.equals(Kinds.PODS)) {
            return controller(change.object(), kind).flatMap(store::keyOfUid).stream()
                    .toList();
        }
        boolean lacked =
                changed.equals(Kinds.PRIORITY_CLASSES) || changed.equals(Kinds.SERVICE_ACCOUNTS);
        return lacked
                ? store.list(kind, "").stream()
                        .map(object -> Key.of(kind, object))
                        .toList()
                : List.of();
    }

    static ObjectNode controllerReference(ObjectNode owner) {
        ObjectNode reference = Json.newObject();
        reference.put("apiVersion", Json.text(owner, "apiVersion"));
        reference.put("kind", Json.text(owner, "kind"));
        reference.put("name", Json.text(owner, "metadata", "name"));
        reference.put("uid", Json.text(owner, "metadata", "uid"));
        return reference.put("controller", true).put("blockOwnerDeletion", true);
    }

    static boolean isDeleting(JsonNode object) {
        return Json.isPresent(object, "metadata", "deletionTimestamp");
    }
}
