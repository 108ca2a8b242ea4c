package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Reading and building the generic trees that all API objects are kept as. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    static ObjectNode newObject() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode newArray() {
        return MAPPER.createArrayNode();
    }

    /** Parses one JSON object; a refusal with code 400 if the text is anything else. */
    static ObjectNode parseObject(String text) {
        if (parse(text) instanceof ObjectNode object) {
            return object;
        }
        throw Refusal.badRequest("the body of the request must be one JSON object");
    }

    static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JacksonException e) {
            throw Refusal.badRequest(
                    "the body of the request is not JSON: " + e.getOriginalMessage());
        }
    }

    static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    static JsonNode at(JsonNode node, String... path) {
        JsonNode found = node;
        for (String name : path) {
            found = found.path(name);
        }
        return found;
    }

    /** The text at the path; empty if there is none. Numbers and booleans come as their text. */
    static String text(JsonNode node, String... path) {
        JsonNode found = at(node, path);
        return found.isValueNode() && !found.isNull() ? found.asString("") : "";
    }

    static long number(long otherwise, JsonNode node, String... path) {
        JsonNode found = at(node, path);
        return found.isNumber() ? found.asLong(otherwise) : otherwise;
    }

    static boolean isPresent(JsonNode node, String... path) {
        JsonNode found = at(node, path);
        return !(found instanceof MissingNode) && !found.isNull();
    }

    /** The object at the path, made where it is missing. */
    static ObjectNode child(ObjectNode node, String... path) {
        ObjectNode found = node;
        for (String name : path) {
            found = found.get(name) instanceof ObjectNode next ? next : found.putObject(name);
        }
        return found;
    }

    static ArrayNode array(ObjectNode node, String name) {
        return node.get(name) instanceof ArrayNode found ? found : node.putArray(name);
    }

    /** The objects of the list at the path; none if there is no such list. */
    static List<ObjectNode> objects(JsonNode node, String... path) {
        List<ObjectNode> found = new ArrayList<>();
        for (JsonNode item : at(node, path)) {
            if (item instanceof ObjectNode object) {
                found.add(object);
            }
        }
        return found;
    }

    static Map<String, String> strings(JsonNode node, String... path) {
        Map<String, String> found = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : at(node, path).properties()) {
            found.put(entry.getKey(), text(entry.getValue()));
        }
        return found;
    }

    /** Whether both say the same; whether a number is kept as int or long does not count. */
    static boolean same(JsonNode a, JsonNode b) {
        return a.equals(Json::compareValues, b);
    }

    private static int compareValues(JsonNode a, JsonNode b) {
        if (a.equals(b)) {
            return 0;
        }
        boolean numbers = a.isNumber() && b.isNumber();
        return numbers && a.decimalValue().compareTo(b.decimalValue()) == 0 ? 0 : 1;
    }

    /** Text in which the order of members does not count: equal trees give equal text. */
    static String canonical(JsonNode node) {
        StringBuilder text = new StringBuilder();
        appendCanonical(node, text);
        return text.toString();
    }

    private static void appendCanonical(JsonNode node, StringBuilder text) {
        if (node.isObject()) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
            sorted.forEach((name, value) -> {
                text.append('{').append(name).append(':');
                appendCanonical(value, text);
                text.append('}');
            });
        } else if (node.isArray()) {
            text.append('[');
            node.forEach(item -> {
                appendCanonical(item, text);
                text.append(',');
            });
            text.append(']');
        } else {
            text.append(node);
        }
    }
}
