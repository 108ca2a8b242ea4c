package dev.cede.coordinator.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.testbed.tls.Authority;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgementTest {
    private static final AgentIdentity.Token WANTED =
            new AgentIdentity.Token("cede.dev/coordinator", "cede-system/cede-agent");

    @TempDir
    private Path directory;

    /** Who may attach as node n1: authenticated, user, audiences, nodes of the token, answer. */
    @ParameterizedTest
    @CsvSource({
        "true, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, n1, ADMITTED",
        "true, system:serviceaccount:cede-system:cede-agent, a;cede.dev/coordinator, n1, ADMITTED",
        "true, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, n2, OTHER_NODE",
        "true, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, N1, OTHER_NODE",
        "true, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, '', NO_NODE",
        "true, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, n1;n1, NO_NODE",
        "true, system:serviceaccount:default:cede-agent, cede.dev/coordinator, n1, OTHER_ACCOUNT",
        "true, system:serviceaccount:cede-system:default, cede.dev/coordinator, n1, OTHER_ACCOUNT",
        "true, '', cede.dev/coordinator, n1, OTHER_ACCOUNT",
        "true, system:serviceaccount:cede-system:cede-agent, a, n1, OTHER_AUDIENCE",
        "true, system:serviceaccount:cede-system:cede-agent, '', n1, OTHER_AUDIENCE",
        "false, system:serviceaccount:cede-system:cede-agent, cede.dev/coordinator, n1, INVALID_TOKEN",
    })
    void aTokenIsOfOurAccountForUsAndOfTheSameNode(
            boolean authenticated, String user, String audiences, String nodes, String judgement) {
        TokenReviews.Answer answer = new TokenReviews.Answer(
                authenticated,
                "why",
                user,
                list(audiences),
                nodes.isEmpty() ? Map.of() : Map.of(Judgement.NODE_NAME, list(nodes)));
        assertEquals(judgement, word(Judgement.token(answer, WANTED, "n1")));
    }

    private static List<String> list(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(";"));
    }

    private static String word(Optional<Refused> refused) {
        return refused.map(each -> each.reason().name()).orElse("ADMITTED");
    }

    @ParameterizedTest
    @CsvSource({
        "cede-agent:n1, ADMITTED",
        "cede-agent:n2, OTHER_NODE",
        "cede-agent:n1x, OTHER_NODE",
        "cede-agent:, OTHER_NODE",
        "n1, OTHER_ACCOUNT",
        "'cede-agent:n1,CN=cede-agent:n2', OTHER_ACCOUNT",
    })
    void aCertificateNamesTheSameNodeInItsOneCommonName(String name, String judgement)
            throws Exception {
        X509Certificate shown = issued(name);
        assertEquals(judgement, word(Judgement.certificate(shown, Instant.now(), "n1")));
    }

    @Test
    void aCertificateIsOfNoUseBeforeAndAfterItsTime() throws Exception {
        X509Certificate shown = issued("cede-agent:n1");
        for (Duration off : List.of(Duration.ofDays(-30), Duration.ofDays(30))) {
            assertEquals(
                    "STALE_CERTIFICATE",
                    word(Judgement.certificate(shown, Instant.now().plus(off), "n1")));
        }
    }

    private X509Certificate issued(String commonName) throws IOException, CertificateException {
        Path file = directory.resolve("c.pem");
        Authority.create("ca").issueClient(commonName, file, directory.resolve("k.pem"));
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }
}
