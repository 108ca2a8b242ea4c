package dev.cede.coordinator.app;

import dev.cede.coordinator.config.Security;
import dev.cede.coordinator.identity.AgentGate;
import dev.cede.coordinator.identity.AgentIdentity;
import dev.cede.coordinator.identity.Refusals;
import dev.cede.coordinator.identity.TokenReviews;
import dev.cede.coordinator.identity.WatchedTrust;
import dev.cede.tls.ConfiguredFile;
import dev.cede.tls.FollowedPem;
import dev.cede.tls.OwnCertificate;
import dev.cede.tls.Trust;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

import javax.net.ssl.SSLException;

/** Our port's encryption, and the gate before the link to agents, as configured. */
final class Protection implements AutoCloseable {
    /** A resumed session would keep an identity beyond a change of the authorities. */
    private static final long SESSION_SECONDS = 1;

    private final Refusals refusals = new Refusals();
    private final Deque<FollowedPem> files = new ArrayDeque<>();
    private final AgentGate gate;
    private final Optional<SslContext> tls;

    /**
     * Reads all files and follows them. Throws {@link dev.cede.config.SettingsException} where one
     * cannot be used.
     */
    Protection(Security security, TokenReviews reviews) {
        try {
            this.gate = gate(security, reviews);
            this.tls = switch (security) {
                case Security.PlainText plain -> Optional.empty();
                case Security.Tls encrypted -> Optional.of(context(encrypted));
            };
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private AgentGate gate(Security security, TokenReviews reviews) {
        return switch (security) {
            case Security.PlainText plain -> AgentGate.OPEN;
            case Security.Tls(var certificate, var key, AgentIdentity.Token wanted) ->
                AgentGate.tokens(wanted, reviews, refusals);
            case Security.Tls(var certificate, var key, AgentIdentity.Certificate wanted) ->
                AgentGate.certificates(InstantSource.system(), refusals);
        };
    }

    private SslContext context(Security.Tls security) {
        OwnCertificate own = keep(OwnCertificate.follow(
                ConfiguredFile.certificates("tls_certificate", security.certificate()),
                ConfiguredFile.key("tls_key", security.key())));
        SslContextBuilder builder = GrpcSslContexts.configure(
                        SslContextBuilder.forServer(own.manager()), SslProvider.JDK)
                .sessionTimeout(SESSION_SECONDS);
        if (security.agents() instanceof AgentIdentity.Certificate wanted) {
            Trust trust = keep(
                    Trust.inClients(ConfiguredFile.certificates("agent_ca", wanted.authorities())));
            // Optional: who comes to read needs none, and an agent without one is told so.
            builder.trustManager(new WatchedTrust(trust.manager(), refusals))
                    .clientAuth(ClientAuth.OPTIONAL);
        }
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    private <T extends FollowedPem> T keep(T file) {
        files.push(file);
        return file;
    }

    AgentGate gate() {
        return gate;
    }

    Refusals refusals() {
        return refusals;
    }

    Optional<SslContext> tls() {
        return tls;
    }

    @Override
    public void close() {
        files.forEach(FollowedPem::close);
    }
}
