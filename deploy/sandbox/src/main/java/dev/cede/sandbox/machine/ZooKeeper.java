package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A real ZooKeeper server of one, in this process, on a free port of 127.0.0.1. */
final class ZooKeeper implements AutoCloseable {
    /** Sessions last 2 to 20 ticks. */
    private static final int TICK_MILLIS = 500;

    private static final int CLIENTS = 100;

    private final ZooKeeperServer server;
    private final ServerCnxnFactory connections;

    private ZooKeeper(ZooKeeperServer server, ServerCnxnFactory connections) {
        this.server = server;
        this.connections = connections;
    }

    static ZooKeeper start(Path folder) {
        try {
            ZooKeeperServer server =
                    new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK_MILLIS);
            ServerCnxnFactory connections = new NIOServerCnxnFactory();
            connections.configure(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
            connections.startup(server);
            return new ZooKeeper(server, connections);
        } catch (IOException e) {
            throw new SandboxException("ZooKeeper does not start: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException("Interrupted while ZooKeeper started.", e);
        }
    }

    String connectString() {
        return "127.0.0.1:" + connections.getLocalPort();
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
    }
}
