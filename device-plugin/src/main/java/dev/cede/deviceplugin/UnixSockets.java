package dev.cede.deviceplugin;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** gRPC over unix sockets, by the JDK's own. One group of threads for all of a process. */
public final class UnixSockets implements AutoCloseable {
    private static final int THREADS = 2;

    /** What servers expect of a local caller; a path would not be a valid authority. */
    private static final String AUTHORITY = "localhost";

    private final EventLoopGroup threads =
            new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());

    public ManagedChannel channel(Path socket) {
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .eventLoopGroup(threads)
                .overrideAuthority(AUTHORITY)
                .usePlaintext()
                .build();
    }

    public NettyServerBuilder server(Path socket) {
        return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(threads)
                .workerEventLoopGroup(threads);
    }

    @Override
    public void close() {
        var unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
