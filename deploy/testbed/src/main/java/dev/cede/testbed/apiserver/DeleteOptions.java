package dev.cede.testbed.apiserver;

import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How an object is to be deleted.
 *
 * @param preconditions what must be true of it
 * @param grace seconds; empty takes the object's own
 * @param propagation Background, Foreground or Orphan; empty takes the default of the kind
 */
record DeleteOptions(Preconditions preconditions, OptionalLong grace, String propagation) {

    static final String BACKGROUND = "Background";
    static final String FOREGROUND = "Foreground";
    static final String ORPHAN = "Orphan";

    static final DeleteOptions DEFAULT =
            new DeleteOptions(new Preconditions("", ""), OptionalLong.empty(), BACKGROUND);

    /** Only this object and none that came later under its name; with its own grace. */
    static DeleteOptions ofThis(JsonNode object, String propagation) {
        Preconditions same = new Preconditions(Json.text(object, "metadata", "uid"), "");
        return new DeleteOptions(same, OptionalLong.empty(), propagation);
    }

    /** From the body; what the body leaves out may stand in the query. */
    static DeleteOptions of(ApiRequest request) {
        ObjectNode body = request.body().isBlank() ? Json.newObject() : request.bodyObject();
        return of(body, request);
    }

    static DeleteOptions of(JsonNode body, ApiRequest request) {
        String propagation = Json.text(body, "propagationPolicy");
        if (propagation.isEmpty()) {
            propagation = request.queryValue("propagationPolicy");
        }
        return new DeleteOptions(
                Preconditions.of(body.path("preconditions")),
                grace(body, request),
                checkPropagation(propagation));
    }

    private static OptionalLong grace(JsonNode body, ApiRequest request) {
        if (body.path("gracePeriodSeconds").isIntegralNumber()) {
            return OptionalLong.of(Json.number(0, body, "gracePeriodSeconds"));
        }
        String query = request.queryValue("gracePeriodSeconds");
        try {
            return query.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(query));
        } catch (NumberFormatException e) {
            throw Refusal.badRequest("gracePeriodSeconds: \"" + query + "\" is not a whole number");
        }
    }

    /** Jobs alone leave their pods behind unless told otherwise, as their first version did. */
    String propagationOf(ResourceKind kind) {
        return propagation.isEmpty() && kind.equals(Kinds.JOBS) ? ORPHAN : propagation;
    }

    private static String checkPropagation(String text) {
        return switch (text) {
            case "", BACKGROUND, FOREGROUND, ORPHAN -> text;
            default ->
                throw Refusal.badRequest("propagationPolicy: \"" + text
                        + "\" is not one of Background, Foreground, Orphan");
        };
    }
}
