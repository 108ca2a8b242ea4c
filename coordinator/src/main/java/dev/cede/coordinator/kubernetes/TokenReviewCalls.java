package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.identity.TokenReviews;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reviews of tokens by the API server. */
public final class TokenReviewCalls implements TokenReviews {
    private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";

    private final ApiCalls calls;
    private final KubernetesSerialization json;

    public TokenReviewCalls(KubernetesClient client) {
        this.calls = new ApiCalls(client, ApiServer.CALL_TIMEOUT);
        this.json = client.getKubernetesSerialization();
    }

    @Override
    public Answer review(String token, String audience) throws Unavailable, InterruptedException {
        TokenReview question = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .withAudiences(audience)
                .endSpec()
                .build();
        try {
            String body = calls.make(ApiCalls.Call.post(PATH, json.asJson(question)));
            return answer(json.unmarshal(body, TokenReview.class).getStatus());
        } catch (ApiCallException | KubernetesClientException e) {
            throw new Unavailable(e.getMessage(), e);
        }
    }

    private static Answer answer(TokenReviewStatus status) {
        UserInfo user = Objects.requireNonNullElseGet(status.getUser(), UserInfo::new);
        return new Answer(
                Boolean.TRUE.equals(status.getAuthenticated()),
                Objects.requireNonNullElse(status.getError(), "no reason is given"),
                Objects.requireNonNullElse(user.getUsername(), ""),
                Objects.requireNonNullElse(status.getAudiences(), List.of()),
                Objects.requireNonNullElse(user.getExtra(), Map.of()));
    }
}
