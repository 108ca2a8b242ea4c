package dev.cede.agent;

import dev.cede.agent.link.LinkSecurity;
import dev.cede.config.Loopback;
import dev.cede.config.Settings;
import dev.cede.config.SettingsException;
import dev.cede.ledger.NodeLedger;
import dev.cede.nvml.NvmlCardInventory;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What an agent is configured with, read once from its file.
 *
 * @param node the name kubelet has in the cluster
 * @param coordinators host:port of each, tried in turn
 * @param security how the link to them is protected
 * @param stateDirectory its checkpoint, and the limits that containers see
 * @param procRoot the host's process table
 * @param deviceRoot the host's device files
 * @param nvmlLibrary a name for the dynamic linker, or a path
 * @param listen where its own service is: host:port, or unix: and a path
 * @param maxSharesPerCard containers that may share a card (B3)
 * @param placeUnplanned whether pods that nobody planned are served as good as it goes (A7)
 * @param poll how often the driver is read
 * @param releasePoll the same while a release is open
 */
public record AgentConfig(
        String node,
        List<String> coordinators,
        LinkSecurity security,
        Path stateDirectory,
        Path devicePluginDirectory,
        Path podResourcesSocket,
        Path procRoot,
        Path deviceRoot,
        String nvmlLibrary,
        String listen,
        int maxSharesPerCard,
        boolean placeUnplanned,
        Duration poll,
        Duration releasePoll) {
    private static final int MOST_SHARES = 1000;
    private static final Duration LONGEST_POLL = Duration.ofMinutes(1);
    private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

    public AgentConfig {
        coordinators = List.copyOf(coordinators);
    }

    /** Throws {@link SettingsException} with one sentence for the operator. */
    public static AgentConfig read(Path file) {
        return from(Settings.read(file));
    }

    static AgentConfig from(Settings settings) {
        List<String> coordinators = addresses(required(settings, "coordinators"));
        AgentConfig config = new AgentConfig(
                required(settings, "node_name"),
                coordinators,
                LinkSecurity.read(settings, coordinators),
                path(settings, "state_dir", "/var/lib/cede"),
                path(settings, "device_plugin_dir", "/var/lib/kubelet/device-plugins"),
                path(
                        settings,
                        "pod_resources_socket",
                        "/var/lib/kubelet/pod-resources/kubelet.sock"),
                path(settings, "proc_root", "/proc"),
                path(settings, "device_root", "/dev"),
                settings.text("nvml_library").orElse(NvmlCardInventory.DEFAULT_LIBRARY),
                listen(settings.text("listen").orElse("127.0.0.1:2113")),
                settings.number(
                        "max_shares_per_card", NodeLedger.DEFAULT_MAX_SHARES, 1, MOST_SHARES),
                settings.word("unplanned_pods", "refuse", "refuse", "place").equals("place"),
                interval(settings, "poll_interval", Duration.ofMillis(250)),
                interval(settings, "release_poll_interval", Duration.ofMillis(50)));
        settings.requireAllTaken();
        return config;
    }

    private static String required(Settings settings, String key) {
        return settings.text(key).orElseThrow(() -> new SettingsException(key + " is missing"));
    }

    private static Path path(Settings settings, String key, String otherwise) {
        return Path.of(settings.text(key).orElse(otherwise));
    }

    private static List<String> addresses(String text) {
        List<String> addresses =
                Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        for (String address : addresses) {
            if (!isHostAndPort(address)) {
                throw new SettingsException("coordinators has " + address
                        + "; it takes host:port, several separated by commas");
            }
        }
        return addresses;
    }

    private static String listen(String text) {
        boolean unix = text.startsWith(CardServer.UNIX) && text.length() > CardServer.UNIX.length();
        if (!unix && !isHostAndPort(text)) {
            throw new SettingsException(
                    "listen is " + text + "; it takes host:port or unix:/path/to/socket");
        }
        if (!unix && !Loopback.isAddress(text)) {
            throw new SettingsException(
                    "listen is " + text + "; the service is not encrypted, so it"
                            + " takes a loopback address such as 127.0.0.1:2113, or unix:/path/to/socket");
        }
        return text;
    }

    private static boolean isHostAndPort(String text) {
        return text.matches("[^:\\s]+:[0-9]{1,5}");
    }

    private static Duration interval(Settings settings, String key, Duration otherwise) {
        Duration value = settings.duration(key, otherwise);
        if (value.compareTo(SHORTEST_POLL) < 0 || value.compareTo(LONGEST_POLL) > 0) {
            throw new SettingsException(
                    key + " is " + value.toMillis() + "ms; it takes a duration from 10ms to 1m");
        }
        return value;
    }
}
