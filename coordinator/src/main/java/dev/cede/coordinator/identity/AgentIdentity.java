package dev.cede.coordinator.identity;

import java.nio.file.Path;

/** By what agents show which node they are on. */
public sealed interface AgentIdentity {
    /**
     * A projected service-account token.
     *
     * @param serviceAccount whose it has to be: namespace/name
     */
    record Token(String audience, String serviceAccount) implements AgentIdentity {
        /** As the API server names the account. */
        String user() {
            return "system:serviceaccount:" + serviceAccount.replace('/', ':');
        }
    }

    /** A client certificate, signed by one of these authorities. */
    record Certificate(Path authorities) implements AgentIdentity {}
}
