package dev.cede.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProbeTest {
    @Test
    void itSaysWhetherSomebodyListensAtAPort() throws IOException {
        String address;
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + listening.getLocalPort();
            assertTrue(Probe.answers(address));
        }
        assertFalse(Probe.answers(address));
    }

    @Test
    void itSaysWhetherSomebodyListensAtASocket(@TempDir Path folder) throws IOException {
        Path socket = folder.resolve("s");
        assertFalse(Probe.answers("unix:" + socket));
        try (ServerSocketChannel listening =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(socket));
            assertTrue(Probe.answers("unix:" + socket));
        }
    }
}
