package dev.cede.agent;

import dev.cede.config.SettingsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * {@code --config FILE}: whether the agent of that configuration listens, by the exit status. Its
 * image has no other program that kubelet could run to find out.
 */
final class Probe {
    private static final String UNIX = "unix:";

    private Probe() {}

    public static void main(String[] arguments) {
        if (arguments.length != 2 || !arguments[0].equals("--config")) {
            System.err.println("probe: it takes --config FILE");
            System.exit(2);
        }
        try {
            String address = AgentConfig.read(Path.of(arguments[1])).listen();
            System.exit(answers(address) ? 0 : 1);
        } catch (SettingsException e) {
            System.err.println("probe: " + e.getMessage());
            System.exit(2);
        }
    }

    static boolean answers(String address) {
        boolean unix = address.startsWith(UNIX);
        try (SocketChannel channel = SocketChannel.open(
                unix ? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET)) {
            return channel.connect(unix ? path(address) : hostAndPort(address));
        } catch (IOException e) {
            System.err.println("probe: " + address + ": " + e.getMessage());
            return false;
        }
    }

    private static SocketAddress path(String address) {
        return UnixDomainSocketAddress.of(address.substring(UNIX.length()));
    }

    private static SocketAddress hostAndPort(String address) {
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }
}
