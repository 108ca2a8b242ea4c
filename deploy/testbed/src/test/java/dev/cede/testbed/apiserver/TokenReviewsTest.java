package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class TokenReviewsTest {
    private static final Instant EXPIRES = CoreFixture.START.plus(Duration.ofMinutes(10));

    private final CoreFixture cluster = new CoreFixture();

    private ObjectNode review(String token, String audience) {
        ObjectNode answer = cluster.ok(ApiRequest.post(
                TokenReviews.PATH,
                CoreFixture.json(
                        "{'spec':{'token':'%s','audiences':['%s']}}".formatted(token, audience))));
        return (ObjectNode) answer.get("status");
    }

    private String issue(String node) {
        return cluster.core.issue(new NodeToken("ns/sa", node, "us", EXPIRES));
    }

    @Test
    void aTokenNamesItsAccountItsAudienceAndItsNode() {
        assertEquals(
                CoreFixture.json(
                        "{'authenticated':true,'user':{'username':'system:serviceaccount:ns:sa',"
                                + "'extra':{'authentication.kubernetes.io/node-name':['n1']}},"
                                + "'audiences':['us']}"),
                review(issue("n1"), "us"));
    }

    @Test
    void aTokenOfNoPodNamesNoNode() {
        assertEquals("", Json.text(review(issue(""), "us"), "user", "extra"));
    }

    @Test
    void otherTokensAreNoneAndTheReasonIsSaid() {
        String token = issue("n1");
        assertEquals("[invalid bearer token]", Json.text(review("x", "us"), "error"));
        assertEquals(
                "[invalid bearer token, token audiences [\"us\"] is invalid for the target audiences [them]]",
                Json.text(review(token, "them"), "error"));
        cluster.advance(600);
        assertEquals(
                "[invalid bearer token, service account token has expired]",
                Json.text(review(token, "us"), "error"));
    }

    @Test
    void reviewsAreMadeAndNothingElse() {
        cluster.refused(405, ApiRequest.get(TokenReviews.PATH));
    }
}
