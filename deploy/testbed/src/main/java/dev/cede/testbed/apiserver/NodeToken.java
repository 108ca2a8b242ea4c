package dev.cede.testbed.apiserver;

import java.time.Instant;

/**
 * A projected service-account token, as its holder's API server knows it.
 *
 * @param serviceAccount namespace/name
 * @param node of the pod that it was projected into; empty for a token of no pod
 * @param audience whom it is for
 * @param expires when it ends
 */
public record NodeToken(String serviceAccount, String node, String audience, Instant expires) {
    String user() {
        return "system:serviceaccount:" + serviceAccount.replace('/', ':');
    }
}
