package dev.cede.testbed.apiserver;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The answer to one request.
 *
 * @param code the HTTP status
 * @param body the object, list or Status; shared with the store, so never to be changed
 * @param headers more than every answer has
 */
public record ApiReply(int code, JsonNode body, Map<String, String> headers) {

    /** Without more headers. */
    public ApiReply(int code, JsonNode body) {
        this(code, body, Map.of());
    }

    /** Whether the request was done. */
    public boolean isSuccess() {
        return code >= 200 && code < 300;
    }
}
