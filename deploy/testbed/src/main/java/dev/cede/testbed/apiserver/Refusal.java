package dev.cede.testbed.apiserver;

import tools.jackson.databind.node.ObjectNode;

/**
 * A request that is answered with an error. Code, reason and message are those that clients of a
 * real API server tell apart.
 */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;
    private final String reason;

    private Refusal(int code, String reason, String message) {
        super(message, null, false, false);
        this.code = code;
        this.reason = reason;
    }

    static Refusal badRequest(String message) {
        return new Refusal(400, "BadRequest", message);
    }

    static Refusal forbidden(ResourceKind kind, String name, String why) {
        return new Refusal(
                403,
                "Forbidden",
                "%s \"%s\" is forbidden: %s".formatted(kind.qualifiedPlural(), name, why));
    }

    static Refusal notFound(String qualifiedPlural, String name) {
        return new Refusal(404, "NotFound", "%s \"%s\" not found".formatted(qualifiedPlural, name));
    }

    static Refusal noSuchPath() {
        return new Refusal(404, "NotFound", "the server could not find the requested resource");
    }

    static Refusal methodNotAllowed() {
        return new Refusal(
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource");
    }

    static Refusal alreadyExists(ResourceKind kind, String name) {
        return new Refusal(
                409,
                "AlreadyExists",
                "%s \"%s\" already exists".formatted(kind.qualifiedPlural(), name));
    }

    static Refusal conflict(String qualifiedPlural, String name, String why) {
        return new Refusal(
                409,
                "Conflict",
                "Operation cannot be fulfilled on %s \"%s\": %s"
                        .formatted(qualifiedPlural, name, why));
    }

    static Refusal expired(long asked, long oldest) {
        return new Refusal(
                410, "Expired", "too old resource version: %d (%d)".formatted(asked, oldest));
    }

    /** One that a test asked for. */
    static Refusal onPurpose(int code, String reason) {
        return new Refusal(code, reason, reason + " on purpose");
    }

    static Refusal unsupportedMediaType(String message) {
        return new Refusal(415, "UnsupportedMediaType", message);
    }

    /** {@code why} names the field and what is accepted there. */
    static Refusal invalid(ResourceKind kind, String name, String why) {
        return new Refusal(
                422,
                "Invalid",
                "%s \"%s\" is invalid: %s".formatted(kind.qualifiedKind(), name, why));
    }

    static Refusal internalError(String message) {
        return new Refusal(500, "InternalError", "Internal error occurred: " + message);
    }

    /** A check whose failure a real server does not translate. */
    static Refusal unclassified(String message) {
        return new Refusal(500, "", message);
    }

    static Refusal patchFailed(String message) {
        return new Refusal(422, "Invalid", message);
    }

    int code() {
        return code;
    }

    ObjectNode status() {
        ObjectNode status = Json.newObject();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", getMessage());
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        return status.put("code", code);
    }

    ApiReply reply() {
        return new ApiReply(code, status());
    }
}
