package dev.cede.agent.link;

import dev.cede.config.Loopback;
import dev.cede.tls.ConfiguredFile;
import dev.cede.tls.FollowedPem;
import dev.cede.tls.OwnCertificate;
import dev.cede.tls.Trust;
import dev.cede.v1.AgentLinkGrpc;

import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.NettyChannelBuilder;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Opens channels to coordinators as configured; its files are followed until it is closed. */
public final class Dialer implements AutoCloseable {
    private final List<FollowedPem> files = new ArrayList<>();
    private final ChannelCredentials credentials;
    private final Optional<String> name;
    private final Optional<TokenFile> token;
    private final Predicate<String> reachable;

    /** Throws {@link dev.cede.config.SettingsException} where a certificate cannot be used. */
    public Dialer(LinkSecurity security) {
        try {
            switch (security) {
                case LinkSecurity.PlainText plain -> {
                    this.credentials = InsecureChannelCredentials.create();
                    this.name = Optional.empty();
                    this.token = Optional.empty();
                    this.reachable = Loopback::isAddress;
                }
                case LinkSecurity.Tls tls -> {
                    this.credentials = encrypted(tls);
                    this.name = tls.name();
                    this.token = tls.identity() instanceof LinkSecurity.Token shown
                            ? Optional.of(new TokenFile(shown.file()))
                            : Optional.empty();
                    this.reachable = any -> true;
                }
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private ChannelCredentials encrypted(LinkSecurity.Tls tls) {
        Trust trust = keep(
                Trust.inServers(ConfiguredFile.certificates("coordinator_ca", tls.authorities())));
        TlsChannelCredentials.Builder builder =
                TlsChannelCredentials.newBuilder().trustManager(trust.manager());
        if (tls.identity() instanceof LinkSecurity.Certificate shown) {
            OwnCertificate own = keep(OwnCertificate.follow(
                    ConfiguredFile.certificates("certificate", shown.chain()),
                    ConfiguredFile.key("key", shown.key())));
            builder.keyManager(own.manager());
        }
        return builder.build();
    }

    private <T extends FollowedPem> T keep(T file) {
        files.add(file);
        return file;
    }

    /** Whether we may go there: in plain text only within this machine, whoever names it. */
    boolean mayDial(String address) {
        return reachable.test(address);
    }

    ManagedChannel open(String address) {
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(address, credentials);
        name.ifPresent(builder::overrideAuthority);
        return builder.build();
    }

    AgentLinkGrpc.AgentLinkStub stub(Channel channel) {
        AgentLinkGrpc.AgentLinkStub stub = AgentLinkGrpc.newStub(channel);
        return token.isPresent() ? stub.withCallCredentials(token.get()) : stub;
    }

    @Override
    public void close() {
        files.forEach(FollowedPem::close);
    }
}
