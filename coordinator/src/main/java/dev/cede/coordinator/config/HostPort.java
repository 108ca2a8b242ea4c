package dev.cede.coordinator.config;

import dev.cede.config.Loopback;
import dev.cede.config.SettingsException;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address to listen on, or under which we are reached.
 *
 * @param port 0..65535; 0 is any free one
 */
public record HostPort(String host, int port) {
    private static final Pattern FORM =
            Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65535;

    static HostPort parse(String key, String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || Integer.parseInt(form.group(2)) > MAX_PORT) {
            throw new SettingsException(
                    key + " is " + text + "; it takes HOST:PORT such as 127.0.0.1:7070");
        }
        return new HostPort(form.group(1), Integer.parseInt(form.group(2)));
    }

    public InetSocketAddress resolve() {
        return new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port);
    }

    boolean isLoopback() {
        return Loopback.isHost(host);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
