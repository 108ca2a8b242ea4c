package dev.cede.coordinator.app;

import dev.cede.coordinator.agents.LinkLimits;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.handler.ssl.SslContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Our gRPC server, with reflection. */
final class GrpcServer implements AutoCloseable {
    private static final long CLOSE_SECONDS = 2;

    private final Server server;

    private GrpcServer(Server server) {
        this.server = server;
    }

    static GrpcServer start(
            InetSocketAddress address, Optional<SslContext> tls, List<BindableService> services)
            throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address);
        tls.ifPresent(builder::sslContext);
        builder
                // A call may wait for a review of its token, and all agents may come at once.
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .maxInboundMessageSize(LinkLimits.MESSAGE_BYTES)
                .maxConcurrentCallsPerConnection(LinkLimits.CALLS_PER_CONNECTION)
                .keepAliveTime(LinkLimits.KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
                .keepAliveTimeout(LinkLimits.KEEP_ALIVE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .permitKeepAliveTime(LinkLimits.LEAST_KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .addService(ProtoReflectionServiceV1.newInstance());
        services.forEach(builder::addService);
        return new GrpcServer(builder.build().start());
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            if (!server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
