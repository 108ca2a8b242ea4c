package dev.cede.testbed.apiserver;

import tools.jackson.databind.JsonNode;

/** What must be true of an object for a write to happen; empty text asks nothing. */
record Preconditions(String uid, String resourceVersion) {

    static Preconditions of(JsonNode holder) {
        return new Preconditions(Json.text(holder, "uid"), Json.text(holder, "resourceVersion"));
    }

    /** With the sentence that optimistic locking has. */
    void checkForUpdate(Key key, JsonNode object) {
        checkUid(key, object);
        String current = Json.text(object, "metadata", "resourceVersion");
        // Version 0 means any, like none at all.
        if (!resourceVersion.isEmpty()
                && !resourceVersion.equals("0")
                && !resourceVersion.equals(current)) {
            throw Refusal.conflict(
                    key.kind().qualifiedPlural(),
                    key.name(),
                    "the object has been modified; please apply your changes to the latest version and "
                            + "try again");
        }
    }

    /** A patch that changes the UID is no conflict but a change of what cannot be changed. */
    void checkForPatch(Key key, JsonNode object) {
        new Preconditions("", resourceVersion).checkForUpdate(key, object);
        if (!uid.isEmpty() && !uid.equals(Json.text(object, "metadata", "uid"))) {
            throw Refusal.invalid(
                    key.kind(),
                    key.name(),
                    "metadata.uid: Invalid value: \"" + uid + "\": it cannot be changed");
        }
    }

    void check(Key key, JsonNode object) {
        checkUid(key, object);
        String current = Json.text(object, "metadata", "resourceVersion");
        if (!resourceVersion.isEmpty() && !resourceVersion.equals(current)) {
            throw Refusal.conflict(
                    key.kind().qualifiedPlural(),
                    key.name(),
                    "Precondition failed: ResourceVersion in precondition: " + resourceVersion
                            + ", ResourceVersion in object meta: " + current);
        }
    }

    private void checkUid(Key key, JsonNode object) {
        String current = Json.text(object, "metadata", "uid");
        if (!uid.isEmpty() && !uid.equals(current)) {
            throw Refusal.conflict(
                    key.kind().qualifiedPlural(),
                    key.name(),
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + current);
        }
    }
}
