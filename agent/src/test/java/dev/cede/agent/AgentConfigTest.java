package dev.cede.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.agent.link.LinkSecurity;
import dev.cede.config.Settings;
import dev.cede.config.SettingsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {
    private static final String LEAST = "node_name: n0\ncoordinators: a:1, b:2\n";
    private static final String TLS = LEAST + "coordinator_ca: /ca\ntoken_file: /t\n";

    private static String refusal(String yaml) {
        Settings settings = Settings.parse(yaml);
        return assertThrows(SettingsException.class, () -> AgentConfig.from(settings))
                .getMessage();
    }

    @Test
    void fourKeysAreEnough() {
        AgentConfig config = AgentConfig.from(Settings.parse(TLS));
        assertEquals(
                new LinkSecurity.Tls(
                        Path.of("/ca"), Optional.empty(), new LinkSecurity.Token(Path.of("/t"))),
                config.security());
        assertEquals(List.of("a:1", "b:2"), config.coordinators());
        assertEquals(Path.of("/var/lib/kubelet/device-plugins"), config.devicePluginDirectory());
        assertEquals(Duration.ofMillis(250), config.poll());
        assertEquals(20, config.maxSharesPerCard());
        assertEquals(false, config.placeUnplanned());
    }

    @Test
    void anUnknownKeyIsNamed_F2() {
        assertEquals("unknown key colour", refusal(TLS + "colour: red"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | coordinator_ca is missing",
                "coordinator_ca: /ca | it takes either token_file, or certificate",
                "coordinator_ca: /ca;certificate: /c | it takes either token_file, or certificate",
                "coordinator_ca: /ca;token_file: /t;certificate: /c;key: /k | it takes either",
                "insecure: true | coordinators has a:1; with insecure: true it takes loopback",
                "insecure: true;coordinator_ca: /ca | insecure is true together with",
                "coordinator_ca: /ca;token_file: /t;listen: 0.0.0.0:1 | it takes a loopback address",
            })
    void plainTextIsOnLoopbackAndOnlyWhereItIsAskedFor(String keys, String sentence) {
        String message = refusal(LEAST + keys.replace(';', '\n'));
        assertTrue(message.contains(sentence), message);
    }

    @Test
    void plainTextAndCertificatesAreTaken() {
        assertEquals(
                new LinkSecurity.PlainText(),
                AgentConfig.from(Settings.parse(
                                "node_name: n\ncoordinators: 127.0.0.1:1\ninsecure: true"))
                        .security());
        assertEquals(
                new LinkSecurity.Tls(
                        Path.of("/ca"),
                        Optional.of("cede"),
                        new LinkSecurity.Certificate(Path.of("/c"), Path.of("/k"))),
                AgentConfig.from(Settings.parse(LEAST
                                + "coordinator_ca: /ca\ncoordinator_name: cede\ncertificate: /c\n"
                                + "key: /k"))
                        .security());
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
                refusal(TLS + "listen: nowhere"));
        assertEquals(
                "unplanned_pods is maybe; it takes one of refuse, place",
                refusal(TLS + "unplanned_pods: maybe"));
        assertEquals(
                "poll_interval is 5ms; it takes a duration from 10ms to 1m",
                refusal(TLS + "poll_interval: 5ms"));
    }
}
