package dev.cede.testbed.apiserver;

import tools.jackson.databind.JsonNode;

/** Which objects of a kind a list or a watch is about. */
record Selection(ResourceKind kind, String namespace, LabelSelector labels, FieldSelector fields) {

    static Selection of(Route route, ApiRequest request) {
        ResourceKind kind = route.storedKind();
        FieldSelector fields = FieldSelector.parse(request.queryValue("fieldSelector"), kind);
        if (!route.name().isEmpty()) {
            fields = FieldSelector.parse("metadata.name=" + route.name(), kind);
        }
        return new Selection(
                kind,
                route.namespace(),
                LabelSelector.parse(request.queryValue("labelSelector")),
                fields);
    }

    boolean covers(Key key) {
        return key.kind().equals(kind)
                && (namespace.isEmpty() || key.namespace().equals(namespace));
    }

    boolean matches(JsonNode object) {
        return fields.matches(object) && labels.matches(Json.strings(object, "metadata", "labels"));
    }
}
