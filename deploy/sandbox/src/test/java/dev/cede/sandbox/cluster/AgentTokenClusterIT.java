package dev.cede.sandbox.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.identity.TokenReviews.Answer;
import dev.cede.coordinator.kubernetes.ApiServer;
import dev.cede.coordinator.kubernetes.TokenReviewCalls;
import dev.cede.testbed.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a real API server says of agents' tokens, asked with the coordinator's own rights. */
@Tag("cluster")
class AgentTokenClusterIT {
    private static final String AUDIENCE = "cede.dev/coordinator";
    private static final String NAMESPACE = "default";
    private static final long SECONDS = 600;

    private static KubernetesClient person;
    private static KubernetesClient coordinator;

    @BeforeAll
    static void connect() {
        TestCluster cluster = TestCluster.current();
        person = ApiServer.connect(Optional.of(cluster.kubeconfig()));
        coordinator = ApiServer.connect(Optional.of(cluster.coordinatorKubeconfig()));
    }

    @AfterAll
    static void close() {
        coordinator.close();
        person.close();
    }

    private static Answer review(String token) throws Exception {
        return new TokenReviewCalls(coordinator).review(token, AUDIENCE);
    }

    /** Of the namespace's own account, bound to a node as a pod's token is. */
    private static String token(String node, String audience) {
        return person.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences(audience)
                        .withExpirationSeconds(SECONDS)
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Node")
                        .withName(node)
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }

    @Test
    void aTokenForUsNamesItsAccountAndItsNode() throws Exception {
        String node = TestCluster.current().nodes().getFirst().name();
        Answer answer = review(token(node, AUDIENCE));
        assertTrue(answer.authenticated(), answer::toString);
        assertEquals("system:serviceaccount:default:default", answer.user());
        assertEquals(List.of(AUDIENCE), answer.audiences());
        assertEquals(List.of(node), answer.extra().get("authentication.kubernetes.io/node-name"));
    }

    @Test
    void aTokenForSomebodyElseIsNone() throws Exception {
        String node = TestCluster.current().nodes().getFirst().name();
        Answer answer = review(token(node, "vault"));
        assertFalse(answer.authenticated(), answer::toString);
        assertTrue(answer.error().contains("audience"), answer::toString);
    }

    @Test
    void aForgedTokenIsNone() throws Exception {
        assertFalse(review("a.b.c").authenticated());
    }
}
