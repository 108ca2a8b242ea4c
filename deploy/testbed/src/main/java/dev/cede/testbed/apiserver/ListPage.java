package dev.cede.testbed.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which part of a list is asked for. All pages show the objects as they were at one revision.
 *
 * @param revision that of the first page
 * @param after place of the last object of the page before; empty for the first page
 * @param limit objects on a page
 * @param whole whether nothing is selected, so that it is told how many are left
 */
record ListPage(long revision, String after, long limit, boolean whole) {

    static ListPage of(ApiRequest request, long now) {
        ObjectNode token = token(request.queryValue("continue"));
        return new ListPage(
                Json.number(asked(request, now), token, "rv"),
                Json.text(token, "start"),
                limit(request.queryValue("limit")),
                request.queryValue("fieldSelector").isEmpty()
                        && request.queryValue("labelSelector").isEmpty());
    }

    /** What is newest is good enough for all but one that asks for exactly another version. */
    private static long asked(ApiRequest request, long now) {
        return request.queryValue("resourceVersionMatch").equals("Exact")
                ? Watch.parseRevision(request.queryValue("resourceVersion"))
                : now;
    }

    private static ObjectNode token(String text) {
        try {
            byte[] json = Base64.getUrlDecoder().decode(text);
            return text.isEmpty()
                    ? Json.newObject()
                    : Json.parseObject(new String(json, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest("continue: \"" + text + "\" is no token of this server");
        }
    }

    private static long limit(String text) {
        try {
            long limit = text.isEmpty() ? 0 : Long.parseLong(text);
            return limit > 0 ? limit : Long.MAX_VALUE;
        } catch (NumberFormatException e) {
            throw Refusal.badRequest("limit: \"" + text + "\" is not a whole number");
        }
    }

    /** {@code all} is the whole list in its order. */
    ObjectNode answer(List<ObjectNode> all, View view) {
        List<ObjectNode> left = all.stream()
                .filter(object -> place(object).compareTo(after) > 0)
                .toList();
        List<ObjectNode> page = left.stream().limit(limit).toList();
        ObjectNode answer = view.list(page, revision);
        if (page.size() < left.size()) {
            ObjectNode metadata = Json.child(answer, "metadata");
            metadata.put("continue", tokenAfter(page.getLast()));
            if (whole) {
                metadata.put("remainingItemCount", (long) left.size() - page.size());
            }
        }
        return answer;
    }

    private String tokenAfter(ObjectNode last) {
        ObjectNode token = Json.newObject().put("rv", revision).put("start", place(last));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(token));
    }

    /** In the order of lists: by namespace, then by name. */
    private static String place(ObjectNode object) {
        return Json.text(object, "metadata", "namespace")
                + '\0'
                + Json.text(object, "metadata", "name");
    }
}
