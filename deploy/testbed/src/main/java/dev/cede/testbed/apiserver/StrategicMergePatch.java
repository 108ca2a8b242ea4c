package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Strategic merge patch: a merge patch in which the items of certain lists are matched by a key.
 * The lists are those of the kinds served here; every other list is replaced as a whole.
 */
final class StrategicMergePatch {

    private static final String PATCH = "$patch";
    private static final String ORDER = "$setElementOrder/";
    private static final String DELETE_ITEMS = "$deleteFromPrimitiveList/";
    private static final String RETAIN_KEYS = "$retainKeys";

    /** The merge key of each list, by the list's name: {@code patchMergeKey} in the published API. */
    private static final Map<String, String> MERGE_KEYS = Map.ofEntries(
            Map.entry("conditions", "type"),
            Map.entry("containers", "name"),
            Map.entry("initContainers", "name"),
            Map.entry("ephemeralContainers", "name"),
            Map.entry("env", "name"),
            Map.entry("volumes", "name"),
            Map.entry("volumeMounts", "mountPath"),
            Map.entry("volumeDevices", "devicePath"),
            Map.entry("imagePullSecrets", "name"),
            Map.entry("hostAliases", "ip"),
            Map.entry("schedulingGates", "name"),
            Map.entry("ownerReferences", "uid"),
            Map.entry("addresses", "type"),
            Map.entry("podIPs", "ip"),
            Map.entry("topologySpreadConstraints", "topologyKey"),
            Map.entry("secrets", "name"));

    /** Lists of plain values that are merged as sets. */
    private static final List<String> SETS = List.of("finalizers", "podCIDRs");

    private StrategicMergePatch() {}

    static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        if (Json.text(patch, PATCH).equals("replace")) {
            ObjectNode replaced = patch.deepCopy();
            replaced.remove(PATCH);
            return replaced;
        }
        ObjectNode result = target.deepCopy();
        retainKeys(result, patch);
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            mergeMember(result, change.getKey(), change.getValue());
        }
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            if (change.getKey().startsWith(ORDER)) {
                sort(result, change.getKey().substring(ORDER.length()), change.getValue());
            }
        }
        return result;
    }

    private static void mergeMember(ObjectNode result, String name, JsonNode value) {
        if (name.startsWith(DELETE_ITEMS)) {
            deleteItems(result, name.substring(DELETE_ITEMS.length()), value);
        } else if (name.startsWith("$")) {
            return; // handled where the object that carries it is merged
        } else if (value.isNull()) {
            result.remove(name);
        } else if (value instanceof ObjectNode object) {
            mergeObject(result, name, object);
        } else if (value instanceof ArrayNode list) {
            result.set(name, mergeList(result.path(name), name, list));
        } else {
            result.set(name, value);
        }
    }

    private static void mergeObject(ObjectNode result, String name, ObjectNode patch) {
        if (Json.text(patch, PATCH).equals("delete")) {
            result.remove(name);
            return;
        }
        ObjectNode old = result.get(name) instanceof ObjectNode found ? found : Json.newObject();
        result.set(name, apply(old, patch));
    }

    private static ArrayNode mergeList(JsonNode target, String name, ArrayNode patch) {
        if (SETS.contains(name)) {
            return mergeSet(target, patch);
        }
        Optional<String> key = mergeKey(name, patch);
        if (key.isEmpty() || replacesList(patch)) {
            return withoutDirectives(patch);
        }
        List<ObjectNode> merged = new ArrayList<>();
        target.forEach(item -> merged.add((ObjectNode) item));
        for (JsonNode item : patch) {
            mergeItem(merged, key.get(), (ObjectNode) item);
        }
        ArrayNode result = Json.newArray();
        merged.forEach(result::add);
        return result;
    }

    private static void mergeItem(List<ObjectNode> merged, String key, ObjectNode item) {
        int at = indexOf(merged, key, item.path(key));
        boolean delete = Json.text(item, PATCH).equals("delete");
        if (delete && at >= 0) {
            merged.remove(at);
        } else if (!delete && at >= 0) {
            merged.set(at, apply(merged.get(at), item));
        } else if (!delete) {
            merged.add(apply(Json.newObject(), item));
        }
    }

    private static int indexOf(List<ObjectNode> items, String key, JsonNode value) {
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).path(key).equals(value)) {
                return i;
            }
        }
        return -1;
    }

    /** Ports have another key in a container than in a service, told by what the items carry. */
    private static Optional<String> mergeKey(String name, ArrayNode patch) {
        if (name.equals("ports")) {
            boolean container = patch.valueStream().anyMatch(item -> item.has("containerPort"));
            return Optional.of(container ? "containerPort" : "port");
        }
        boolean objects = patch.valueStream().allMatch(JsonNode::isObject);
        return objects ? Optional.ofNullable(MERGE_KEYS.get(name)) : Optional.empty();
    }

    private static boolean replacesList(ArrayNode patch) {
        return patch.valueStream().anyMatch(item -> Json.text(item, PATCH).equals("replace"));
    }

    private static ArrayNode withoutDirectives(ArrayNode patch) {
        ArrayNode plain = Json.newArray();
        for (JsonNode item : patch) {
            if (!item.has(PATCH)) {
                plain.add(item.deepCopy());
            }
        }
        return plain;
    }

    private static ArrayNode mergeSet(JsonNode target, ArrayNode patch) {
        ArrayNode result = Json.newArray();
        target.forEach(result::add);
        for (JsonNode item : patch) {
            if (target.valueStream().noneMatch(item::equals)) {
                result.add(item);
            }
        }
        return result;
    }

    private static void deleteItems(ObjectNode result, String name, JsonNode gone) {
        ArrayNode kept = Json.newArray();
        for (JsonNode item : result.path(name)) {
            if (gone.valueStream().noneMatch(item::equals)) {
                kept.add(item);
            }
        }
        result.set(name, kept);
    }

    private static void retainKeys(ObjectNode result, ObjectNode patch) {
        if (patch.get(RETAIN_KEYS) instanceof ArrayNode keys) {
            List<String> kept = keys.valueStream().map(Json::text).toList();
            result.retain(kept);
        }
    }

    /** Items named in the order come in it; the others stay where they stand, after those. */
    private static void sort(ObjectNode result, String name, JsonNode order) {
        if (!(result.get(name) instanceof ArrayNode list)) {
            return;
        }
        Map<JsonNode, Integer> places = new HashMap<>();
        for (JsonNode item : order) {
            places.putIfAbsent(identity(name, item), places.size());
        }
        List<JsonNode> sorted = new ArrayList<>();
        list.forEach(sorted::add);
        sorted.sort((a, b) -> Integer.compare(
                places.getOrDefault(identity(name, a), places.size()),
                places.getOrDefault(identity(name, b), places.size())));
        ArrayNode ordered = Json.newArray();
        sorted.forEach(ordered::add);
        result.set(name, ordered);
    }

    private static JsonNode identity(String name, JsonNode item) {
        String key = name.equals("ports")
                ? item.has("containerPort") ? "containerPort" : "port"
                : MERGE_KEYS.getOrDefault(name, "");
        return item.isObject() ? item.path(key) : item;
    }
}
