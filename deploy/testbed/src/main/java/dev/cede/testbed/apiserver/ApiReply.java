package dev.cede.testbed.apiserver;

import tools.jackson.databind.JsonNode;

/**
 * The answer to one request.
 *
 * @param code the HTTP status
 * @param body the object, list or Status; shared with the store, so never to be changed
 */
public record ApiReply(int code, JsonNode body) {

    /** Whether the request was done. */
    public boolean isSuccess() {
        return code >= 200 && code < 300;
    }
}
