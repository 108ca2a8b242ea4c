package dev.cede.testbed.kubelet.sockets;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** gRPC over unix domain sockets, with the JDK's own sockets below. */
public final class UnixSockets implements AutoCloseable {
    /** What kubelet says in HTTP/2's :authority; strict servers refuse a path there. */
    private static final String AUTHORITY = "localhost";

    /** S_IFMT and S_IFSOCK of sys/stat.h. */
    private static final int FILE_TYPE = 0xf000;

    private static final int SOCKET = 0xc000;

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("kubelet-io", true), NioIoHandler.newFactory());

    /** Serves on a socket file, which must not exist. */
    public Server serve(Path socket, BindableService service) throws IOException {
        return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .addService(service)
                .build()
                .start();
    }

    /** Dials when it is first used. */
    public ManagedChannel channel(Path socket) {
        return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .eventLoopGroup(group)
                .overrideAuthority(AUTHORITY)
                .usePlaintext()
                .build();
    }

    /** Ends a server, its calls and its socket file. */
    public static void stop(Server server, Path socket) {
        server.shutdownNow();
        try {
            server.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + socket, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a server as its process's end does: the socket file stays, and nobody listens. */
    public static void abandon(Server server, Path socket) {
        Path kept = socket.resolveSibling("." + socket.getFileName());
        try {
            Files.createLink(kept, socket);
            stop(server, socket);
            Files.move(kept, socket);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot leave " + socket + " behind", e);
        }
    }

    /** Deletes every socket directly in a directory and nothing else, as kubelet does when it starts. */
    public static void wipe(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.toList()) {
                if (isSocket(entry)) {
                    Files.delete(entry);
                }
            }
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & FILE_TYPE) == SOCKET;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 100, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(STOP_LIMIT.toMillis());
    }
}
