package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tokens that were given out, and what is said of one. Nothing of it is stored as an object. */
final class TokenReviews {
    static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";

    private static final int CREATED = 201;
    private static final String NODE_NAME = "authentication.kubernetes.io/node-name";

    private final Cluster cluster;
    private final Map<String, NodeToken> issued = new TreeMap<>();

    TokenReviews(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The token's text. */
    String issue(NodeToken token) {
        String text = "token-" + cluster.names().uid();
        issued.put(text, token);
        return text;
    }

    ApiReply answer(ApiRequest request) {
        if (!request.method().equals("POST")) {
            throw Refusal.methodNotAllowed();
        }
        ObjectNode review = request.bodyObject();
        List<String> audiences = Json.at(review, "spec", "audiences").values().stream()
                .map(JsonNode::asString)
                .toList();
        Optional<NodeToken> token =
                Optional.ofNullable(issued.get(Json.text(review, "spec", "token")));
        review.set(
                "status",
                token.map(found -> of(found, audiences))
                        .orElseGet(() -> not("[invalid bearer token]")));
        return new ApiReply(CREATED, review);
    }

    private ObjectNode of(NodeToken token, List<String> audiences) {
        if (!token.expires().isAfter(cluster.now())) {
            return not("[invalid bearer token, service account token has expired]");
        }
        if (!audiences.contains(token.audience())) {
            return not(
                    "[invalid bearer token, token audiences [\"%s\"] is invalid for the target audiences %s]"
                            .formatted(token.audience(), audiences));
        }
        ObjectNode status = Json.newObject().put("authenticated", true);
        ObjectNode user = status.putObject("user").put("username", token.user());
        if (!token.node().isEmpty()) {
            user.putObject("extra").putArray(NODE_NAME).add(token.node());
        }
        status.putArray("audiences").add(token.audience());
        return status;
    }

    /** A real server leaves "authenticated" out where it is false. */
    private static ObjectNode not(String error) {
        ObjectNode status = Json.newObject();
        status.putObject("user");
        return status.put("error", error);
    }
}
