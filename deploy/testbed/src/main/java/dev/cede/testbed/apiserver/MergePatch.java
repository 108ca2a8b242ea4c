package dev.cede.testbed.apiserver;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON merge patch (RFC 7396). */
final class MergePatch {

    private MergePatch() {}

    static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result =
                target instanceof ObjectNode object ? object.deepCopy() : Json.newObject();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                JsonNode old = result.path(change.getKey());
                result.set(change.getKey(), apply(old, change.getValue()));
            }
        }
        return result;
    }
}
