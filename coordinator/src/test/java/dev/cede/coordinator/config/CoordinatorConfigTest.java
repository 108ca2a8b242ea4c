package dev.cede.coordinator.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.config.SettingsException;
import dev.cede.coordinator.config.CoordinatorConfig.Times;
import dev.cede.coordinator.identity.AgentIdentity;
import dev.cede.coordinator.loop.OurNames;
import dev.cede.coordinator.loop.WorkloadPolicy;
import dev.cede.coordinator.planner.PlannerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinatorConfigTest {
    private static final String LEAST = "zookeeper: zk:2181\n";
    private static final String TLS = "tls_certificate: /c\ntls_key: /k\n";

    private static CoordinatorConfig with(String yaml) {
        return CoordinatorConfig.parse(LEAST + TLS + yaml);
    }

    @Test
    void onlyZooKeeperAndACertificateHaveToBeNamed() {
        CoordinatorConfig config = with("");
        assertEquals("zk:2181", config.zookeeper().connect());
        assertEquals(Duration.ofSeconds(10), config.zookeeper().sessionTimeout());
        assertEquals(new HostPort("127.0.0.1", 7070), config.listen());
        assertEquals(
                new OurNames(new TreeSet<>(List.of("volcano")), false),
                config.schedulerNames(),
                "A7");
        assertEquals(PlannerSettings.DEFAULTS, config.planner());
        assertEquals(Times.DEFAULTS, config.times());
        assertEquals(Optional.empty(), config.kubeconfig());
    }

    @Test
    void everyKeyIsTaken() {
        CoordinatorConfig config = with("""
                zookeeper_session_timeout: 4s
                kubeconfig: /k
                listen: "0.0.0.0:1"
                agent_identity: certificate
                agent_ca: /ca
                advertise: cede-0.cede:7070
                scheduler_names: [volcano, other]
                enable_topology_aware_preemption: 'true'
                enable_preemption: false
                core_step: 1
                max_shares_per_card: 7
                card_policy: spread
                node_policy: spread
                mixed_nodes: allow
                workload_policy: min_available
                wait_for_release: 2m
                workload_settle: 100ms
                release_timeout: 1s
                attach_timeout: 2s
                node_lost: 3s
                hand_over: 6s
                backoff_first: 4s
                backoff_most: 5s
                deschedulingInterval: 1m
                """);
        assertEquals(
                new PlannerSettings(false, true, 1, 7, true, true, true, Duration.ofMinutes(2)),
                config.planner());
        assertEquals(
                new Times(
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5)),
                config.times());
        assertEquals(WorkloadPolicy.MIN_AVAILABLE, config.workloadPolicy());
        assertEquals(Optional.of(Path.of("/k")), config.kubeconfig());
        assertEquals(
                new OurNames(new TreeSet<>(List.of("volcano", "other")), true),
                config.schedulerNames());
        assertEquals("cede-0.cede:7070", config.advertise().orElseThrow().toString());
        assertEquals(List.of("deschedulingInterval"), config.ignored(), "F2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "listen: nowhere | listen is nowhere; it takes HOST:PORT",
                "listen: 127.0.0.1:70000 | it takes HOST:PORT",
                "agent_identity: none | it takes one of token, certificate",
                "agent_identity: certificate | agent_ca is missing",
                "agent_service_account: agent | it takes NAMESPACE/NAME",
                "agent_ca: /ca | unknown key agent_ca",
                "insecure: true | insecure is true together with tls_certificate",
                "scheduler_names: 'a, ' | scheduler_names is",
                "backoff_first: 1m | backoff_first is longer than backoff_most",
                "enable_preemption: yes please | it takes true or false",
                "enable_preemptoin: true | unknown key enable_preemptoin",
                "core_step: 0 | core_step is 0",
                "mixed_nodes: maybe | mixed_nodes is maybe",
            })
    void whatCannotBeUsedIsOneSentenceThatNamesTheKey(String yaml, String sentence) {
        String message = assertThrows(SettingsException.class, () -> with(yaml)).getMessage();
        assertTrue(message.contains(sentence), message);
        assertFalse(message.contains("\n"), message);
    }

    @Test
    void agentsShowATokenUnlessCertificatesAreConfigured() {
        assertEquals(
                new Security.Tls(
                        Path.of("/c"),
                        Path.of("/k"),
                        new AgentIdentity.Token("cede.dev/coordinator", "cede-system/cede-agent")),
                with("").security());
        assertEquals(
                new Security.Tls(
                        Path.of("/c"), Path.of("/k"), new AgentIdentity.Token("a", "ns/sa")),
                with("agent_token_audience: a\nagent_service_account: ns/sa").security());
        assertEquals(
                new Security.Tls(
                        Path.of("/c"),
                        Path.of("/k"),
                        new AgentIdentity.Certificate(Path.of("/ca"))),
                with("agent_identity: certificate\nagent_ca: /ca").security());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | tls_certificate is missing",
                "tls_certificate: /c | tls_key is missing",
                "listen: 0.0.0.0:7070 | tls_certificate is missing",
                "'{insecure: true, listen: 0.0.0.0:7070}' | listen is 0.0.0.0:7070; with insecure",
                "'{insecure: true, listen: no.such.host.invalid:1}' | it takes a loopback address",
                "'{insecure: true, agent_identity: token}' | unknown key agent_identity",
            })
    void plainTextIsOnLoopbackAndOnlyWhereItIsAskedFor(String yaml, String sentence) {
        String all =
                yaml.startsWith("{") ? yaml.replace("}", ", zookeeper: 'zk:2181'}") : LEAST + yaml;
        String message = assertThrows(SettingsException.class, () -> CoordinatorConfig.parse(all))
                .getMessage();
        assertTrue(message.contains(sentence), message);
    }

    @Test
    void plainTextIsTakenOnLoopbackWithItsFlag() {
        assertEquals(
                new Security.PlainText(),
                CoordinatorConfig.parse(LEAST + "insecure: true").security());
    }

    @Test
    void withoutZooKeeperNothingStarts() {
        String message = assertThrows(SettingsException.class, () -> CoordinatorConfig.parse(TLS))
                .getMessage();
        assertTrue(message.startsWith("zookeeper is missing"), message);
        String chroot = assertThrows(
                        SettingsException.class,
                        () -> CoordinatorConfig.parse(TLS + "zookeeper: zk:2181/"))
                .getMessage();
        assertTrue(chroot.startsWith("zookeeper is zk:2181/; it takes HOST:PORT"), chroot);
        assertEquals(
                "a:1,b:2/cede",
                CoordinatorConfig.parse(TLS + "zookeeper: a:1,b:2/cede")
                        .zookeeper()
                        .connect());
    }
}
