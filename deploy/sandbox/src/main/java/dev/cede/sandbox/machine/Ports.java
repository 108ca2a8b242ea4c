package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.TreeSet;

/**
 * Ports for processes that must be told theirs. They lie below the range out of which Linux serves
 * whoever asks for any port (from 32768), so that nobody gets one by chance before it is used.
 */
final class Ports {
    private static final int FIRST = 20_000;
    private static final int COUNT = 12_000;
    private static final int STEP = 97;

    private final TreeSet<Integer> given = new TreeSet<>();

    /** A port of 127.0.0.1 that is free now and was not given before. */
    int next() {
        long start = ProcessHandle.current().pid() * STEP;
        for (int i = 0; i < COUNT; i++) {
            int port = FIRST + (int) ((start + i) % COUNT);
            if (!given.contains(port) && isFree(port)) {
                given.add(port);
                return port;
            }
        }
        throw new SandboxException("No port of 127.0.0.1 from 20000 to 31999 is free.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
