package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A real ZooKeeper server of one, in this process, at a port of 127.0.0.1. */
final class ZooKeeper implements AutoCloseable {
    /** Sessions last 2 to 20 ticks. */
    private static final int TICK_MILLIS = 500;

    private static final int CLIENTS = 100;

    private final Path folder;
    private final InetSocketAddress address;
    private ZooKeeperServer server;
    private ServerCnxnFactory connections;

    private ZooKeeper(Path folder, int port) {
        this.folder = folder;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    static ZooKeeper start(Path folder, int port) {
        ZooKeeper started = new ZooKeeper(folder, port);
        started.start();
        return started;
    }

    /** Also after {@link #close}, with all that it knew then. */
    void start() {
        try {
            server = new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK_MILLIS);
            connections = new NIOServerCnxnFactory();
            connections.configure(address, CLIENTS);
            connections.startup(server);
        } catch (IOException e) {
            throw new SandboxException("ZooKeeper does not start: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException("Interrupted while ZooKeeper started.", e);
        }
    }

    String connectString() {
        return "127.0.0.1:" + address.getPort();
    }

    /** Names of the nodes below one; none where it does not exist. */
    List<String> children(String path) {
        try {
            return server.getZKDatabase().getChildren(path, null, null);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
    }
}
