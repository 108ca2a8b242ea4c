package dev.cede.coordinator.config;

import dev.cede.config.Settings;
import dev.cede.config.SettingsException;
import dev.cede.coordinator.identity.AgentIdentity;

import java.nio.file.Path;
import java.util.Optional;

/** How our gRPC port is protected. */
public sealed interface Security {
    /** Not at all: on this machine only, and only where it is asked for. */
    record PlainText() implements Security {}

    /**
     * By TLS.
     *
     * @param certificate PEM, a chain that covers the addresses by which we are reached
     * @param key PEM, PKCS#8
     * @param agents by what agents show which node they are on
     */
    record Tls(Path certificate, Path key, AgentIdentity agents) implements Security {}

    String DEFAULT_AUDIENCE = "cede.dev/coordinator";
    String DEFAULT_ACCOUNT = "cede-system/cede-agent";

    static Security read(Settings settings, HostPort listen) {
        boolean insecure = settings.flag("insecure", false);
        Optional<Path> certificate = settings.text("tls_certificate").map(Path::of);
        Optional<Path> key = settings.text("tls_key").map(Path::of);
        if (insecure) {
            return plainText(listen, certificate.isPresent() || key.isPresent());
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingsException((certificate.isEmpty() ? "tls_certificate" : "tls_key")
                    + " is missing; tls_certificate and tls_key take PEM files. Plain text takes"
                    + " insecure: true and a loopback address in listen");
        }
        return new Tls(certificate.get(), key.get(), identity(settings));
    }

    private static Security plainText(HostPort listen, boolean withFiles) {
        if (withFiles) {
            throw new SettingsException("insecure is true together with tls_certificate or tls_key;"
                    + " it takes false with them");
        }
        if (!listen.isLoopback()) {
            throw new SettingsException("listen is " + listen + "; with insecure: true it takes a"
                    + " loopback address such as 127.0.0.1:7070, any other needs tls_certificate and"
                    + " tls_key");
        }
        return new PlainText();
    }

    private static AgentIdentity identity(Settings settings) {
        String by = settings.word("agent_identity", "token", "token", "certificate");
        return by.equals("token")
                ? token(settings)
                : new AgentIdentity.Certificate(settings.text("agent_ca")
                        .map(Path::of)
                        .orElseThrow(() -> new SettingsException("agent_ca is missing; with"
                                + " agent_identity: certificate it takes a PEM file with the"
                                + " authorities of agents")));
    }

    private static AgentIdentity token(Settings settings) {
        String account = settings.text("agent_service_account").orElse(DEFAULT_ACCOUNT);
        if (!account.matches("[^/:\\s]+/[^/:\\s]+")) {
            throw new SettingsException(
                    "agent_service_account is " + account + "; it takes NAMESPACE/NAME");
        }
        return new AgentIdentity.Token(
                settings.text("agent_token_audience").orElse(DEFAULT_AUDIENCE), account);
    }
}
