package dev.cede.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Whether a host is this machine and nothing else: the only place for plain text. */
public final class Loopback {
    private Loopback() {}

    /** A name that cannot be resolved is not; an IPv6 address may have its brackets. */
    public static boolean isHost(String host) {
        try {
            return InetAddress.getByName(host.replaceAll("[\\[\\]]", "")).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The same for host:port. */
    public static boolean isAddress(String address) {
        return isHost(address.substring(0, Math.max(0, address.lastIndexOf(':'))));
    }
}
