package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.testbed.tls.Authority;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Certificates and tokens of one run, by which its processes know each other. */
final class Credentials {
    private static final String AUDIENCE = "cede.dev/coordinator";

    private final RunFolder files;
    private final Path authority;
    private final Path certificate;
    private final Path key;

    private Credentials(RunFolder files) {
        this.files = files;
        this.authority = files.file("ca.pem");
        this.certificate = files.file("coordinator.pem");
        this.key = files.file("coordinator-key.pem");
    }

    /** One certificate for all coordinators. */
    static Credentials create(RunFolder files) {
        Credentials made = new Credentials(files);
        Authority signer = Authority.create("cede-sandbox");
        signer.writeTo(made.authority);
        signer.issueServer(made.certificate, made.key);
        return made;
    }

    /** Whom a person has to believe. */
    Path authority() {
        return authority;
    }

    /** Keys of a coordinator's configuration. */
    Map<String, String> coordinator(Kubernetes kubernetes) {
        return Map.of(
                "tls_certificate",
                certificate.toString(),
                "tls_key",
                key.toString(),
                "agent_token_audience",
                AUDIENCE,
                "agent_service_account",
                kubernetes.namespace() + "/" + Kubernetes.AGENT);
    }

    /** Keys of the configuration of a node's agent, with a token of its own. */
    Map<String, String> agent(Kubernetes kubernetes, String node) {
        Path token = files.file("token-" + node);
        try {
            Files.writeString(token, kubernetes.agentToken(node, AUDIENCE));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + token, e);
        }
        return Map.of("coordinator_ca", authority.toString(), "token_file", token.toString());
    }

    /** To a coordinator, as somebody who only reads. */
    ManagedChannel open(String address) {
        try {
            ChannelCredentials believing = TlsChannelCredentials.newBuilder()
                    .trustManager(authority.toFile())
                    .build();
            return Grpc.newChannelBuilder(address, believing).build();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + authority, e);
        }
    }
}
