package dev.cede.testbed.apiserver;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One HTTP request without its transport.
 *
 * @param method GET, POST, PUT, PATCH or DELETE
 * @param path the decoded path, without the query
 * @param query the decoded query; of a repeated name the last value
 * @param contentType type of the body, without parameters; empty if there is no body
 * @param accept the Accept header as sent; empty if there is none
 * @param body the body; empty if there is none
 */
public record ApiRequest(
        String method,
        String path,
        Map<String, String> query,
        String contentType,
        String accept,
        String body) {

    static final String JSON = "application/json";
    static final String MERGE_PATCH = "application/merge-patch+json";
    static final String JSON_PATCH = "application/json-patch+json";
    static final String STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json";
    static final String APPLY_PATCH = "application/apply-patch+yaml";

    /** A GET of a path that may carry a query. */
    public static ApiRequest get(String target) {
        return of("GET", target, "", "");
    }

    /** A POST of one object as JSON. */
    public static ApiRequest post(String target, JsonNode body) {
        return of("POST", target, JSON, body.toString());
    }

    /** A PUT of one object as JSON. */
    public static ApiRequest put(String target, JsonNode body) {
        return of("PUT", target, JSON, body.toString());
    }

    /** A JSON merge patch. */
    public static ApiRequest mergePatch(String target, JsonNode body) {
        return of("PATCH", target, MERGE_PATCH, body.toString());
    }

    /** A strategic merge patch. */
    public static ApiRequest strategicMergePatch(String target, JsonNode body) {
        return of("PATCH", target, STRATEGIC_MERGE_PATCH, body.toString());
    }

    /** A JSON patch: a list of operations. */
    public static ApiRequest jsonPatch(String target, JsonNode body) {
        return of("PATCH", target, JSON_PATCH, body.toString());
    }

    /** A DELETE with DeleteOptions as its body; an empty object takes all defaults. */
    public static ApiRequest delete(String target, JsonNode options) {
        return of("DELETE", target, JSON, options.toString());
    }

    static ApiRequest of(String method, String target, String contentType, String body) {
        URI uri = URI.create(target);
        return new ApiRequest(
                method, uri.getPath(), parseQuery(uri.getRawQuery()), contentType, JSON, body);
    }

    static Map<String, String> parseQuery(String raw) {
        Map<String, String> query = new TreeMap<>();
        if (raw == null || raw.isEmpty()) {
            return query;
        }
        for (String part : raw.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            query.put(decode(name), equals < 0 ? "" : decode(part.substring(equals + 1)));
        }
        return query;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Whether it asks for changes as they come. */
    public boolean isWatch() {
        return method.equals("GET") && isTrue("watch");
    }

    /** The same with these values in its query. */
    ApiRequest withQuery(Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(query);
        all.putAll(more);
        return new ApiRequest(method, path, all, contentType, accept, body);
    }

    String queryValue(String name) {
        return query.getOrDefault(name, "");
    }

    boolean isTrue(String name) {
        String value = queryValue(name);
        return value.equals("1") || value.equalsIgnoreCase("true");
    }

    boolean wantsTable() {
        return accept.contains("as=Table");
    }

    ObjectNode bodyObject() {
        return Json.parseObject(body);
    }
}
