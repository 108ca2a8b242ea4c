package dev.cede.testbed.apiserver;

import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON patch (RFC 6902): all operations or, if one fails, a refusal with code 422. */
final class JsonPatch {

    private JsonPatch() {}

    static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw Refusal.badRequest("a JSON patch must be a list of operations");
        }
        JsonNode result = target.deepCopy();
        for (JsonNode operation : patch) {
            result = applyOne(result, operation);
        }
        return result;
    }

    private static JsonNode applyOne(JsonNode root, JsonNode operation) {
        JsonPointer path = pointer(operation, "path");
        JsonNode value = operation.path("value");
        switch (Json.text(operation, "op")) {
            case "add" -> {
                return add(root, path, required(value, operation));
            }
            case "replace" -> {
                remove(root, path);
                return add(root, path, required(value, operation));
            }
            case "remove" -> remove(root, path);
            case "move" -> {
                JsonPointer from = pointer(operation, "from");
                JsonNode moved = find(root, from);
                remove(root, from);
                return add(root, path, moved);
            }
            case "copy" -> {
                return add(root, path, find(root, pointer(operation, "from")).deepCopy());
            }
            case "test" -> test(root, path, value);
            default ->
                throw Refusal.badRequest("a JSON patch knows no operation " + operation.path("op"));
        }
        return root;
    }

    private static JsonPointer pointer(JsonNode operation, String field) {
        try {
            return JsonPointer.compile(Json.text(operation, field));
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest(
                    "a JSON patch needs a JSON pointer in " + field + ": " + operation);
        }
    }

    private static JsonNode required(JsonNode value, JsonNode operation) {
        if (value.isMissingNode()) {
            throw Refusal.badRequest("a JSON patch needs a value here: " + operation);
        }
        return value.deepCopy();
    }

    private static JsonNode find(JsonNode root, JsonPointer path) {
        JsonNode found = root.at(path);
        if (found.isMissingNode()) {
            throw Refusal.patchFailed("there is nothing at " + path);
        }
        return found;
    }

    private static void test(JsonNode root, JsonPointer path, JsonNode value) {
        if (!Json.same(root.at(path), value)) {
            throw Refusal.patchFailed("testing value " + path + " failed");
        }
    }

    private static void remove(JsonNode root, JsonPointer path) {
        find(root, path);
        JsonNode parent = root.at(path.head());
        JsonPointer last = path.last();
        if (parent instanceof ArrayNode list) {
            list.remove(last.getMatchingIndex());
        } else {
            ((ObjectNode) parent).remove(last.getMatchingProperty());
        }
    }

    private static JsonNode add(JsonNode root, JsonPointer path, JsonNode value) {
        if (path.matches()) {
            return value;
        }
        String name = path.last().getMatchingProperty();
        switch (find(root, path.head())) {
            case ObjectNode object -> object.set(name, value);
            case ArrayNode list -> list.insert(index(list, path, name), value);
            default -> throw Refusal.patchFailed("nothing can be added at " + path);
        }
        return root;
    }

    private static int index(ArrayNode list, JsonPointer path, String name) {
        int index = name.equals("-") ? list.size() : path.last().getMatchingIndex();
        if (index < 0 || index > list.size()) {
            throw Refusal.patchFailed("there is no index " + name + " at " + path);
        }
        return index;
    }
}
