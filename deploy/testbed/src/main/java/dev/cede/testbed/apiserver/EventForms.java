package dev.cede.testbed.apiserver;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The two forms of one Event: kept as {@code v1}, also served as {@code events.k8s.io/v1}. */
final class EventForms {

    /** Field of {@code v1} to field of {@code events.k8s.io/v1}; all others are the same. */
    private static final Map<String, String> FIELDS = fields();

    private EventForms() {}

    private static Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("involvedObject", "regarding");
        fields.put("message", "note");
        fields.put("source", "deprecatedSource");
        fields.put("firstTimestamp", "deprecatedFirstTimestamp");
        fields.put("lastTimestamp", "deprecatedLastTimestamp");
        fields.put("count", "deprecatedCount");
        fields.put("reportingComponent", "reportingController");
        return fields;
    }

    static ObjectNode toEventsV1(ObjectNode stored) {
        ObjectNode event = stored.deepCopy();
        FIELDS.forEach((from, to) -> rename(event, from, to));
        return event.put("apiVersion", Kinds.EVENTS_V1.apiVersion());
    }

    static ObjectNode toStored(ObjectNode event) {
        ObjectNode stored = event.deepCopy();
        FIELDS.forEach((to, from) -> rename(stored, from, to));
        return stored.put("apiVersion", Kinds.EVENTS.apiVersion());
    }

    private static void rename(ObjectNode object, String from, String to) {
        JsonNode value = object.remove(from);
        if (value != null) {
            object.set(to, value);
        }
    }
}
