package dev.cede.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.cede.config.Settings;
import dev.cede.config.SettingsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentConfigTest {
    private static final String LEAST = "node_name: n0\ncoordinators: a:1, b:2\n";

    private static String refusal(String yaml) {
        Settings settings = Settings.parse(yaml);
        return assertThrows(SettingsException.class, () -> AgentConfig.from(settings))
                .getMessage();
    }

    @Test
    void twoKeysAreEnough() {
        AgentConfig config = AgentConfig.from(Settings.parse(LEAST));
        assertEquals(List.of("a:1", "b:2"), config.coordinators());
        assertEquals(Path.of("/var/lib/kubelet/device-plugins"), config.devicePluginDirectory());
        assertEquals(Duration.ofMillis(250), config.poll());
        assertEquals(20, config.maxSharesPerCard());
        assertEquals(false, config.placeUnplanned());
    }

    @Test
    void anUnknownKeyIsNamed_F2() {
        assertEquals("unknown key colour", refusal(LEAST + "colour: red"));
    }

    @Test
    void whatIsMissingOrWrongIsNamed() {
        assertEquals("node_name is missing", refusal("coordinators: a:1"));
        assertEquals("coordinators is missing", refusal("node_name: n0"));
        assertEquals(
                "coordinators has a; it takes host:port, several separated by commas",
                refusal("node_name: n0\ncoordinators: a"));
        assertEquals(
                "listen is nowhere; it takes host:port or unix:/path/to/socket",
                refusal(LEAST + "listen: nowhere"));
        assertEquals(
                "unplanned_pods is maybe; it takes one of refuse, place",
                refusal(LEAST + "unplanned_pods: maybe"));
        assertEquals(
                "poll_interval is 5ms; it takes a duration from 10ms to 1m",
                refusal(LEAST + "poll_interval: 5ms"));
    }
}
