package dev.cede.coordinator.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.cede.agent.link.LinkSecurity;
import dev.cede.config.SettingsException;
import dev.cede.coordinator.identity.Refusals;
import dev.cede.coordinator.loop.Event;
import dev.cede.testbed.apiserver.Disturbance;
import dev.cede.testbed.tls.Authority;
import dev.cede.v1.AgentLinkGrpc;
import dev.cede.v1.AgentMessage;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.v1.GetLeaderRequest;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.NodeReport;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Real TLS over loopback, real agents' links, and the stand-in's TokenReview. */
@Timeout(180)
class AgentSecurityIT {
    @TempDir
    private Path directory;

    private final Authority agents = Authority.create("agents");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private SecureServer secure;

    @BeforeEach
    void start() throws IOException {
        secure = new SecureServer(directory);
        log.start();
        logger().addAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Refusals.class);
    }

    @AfterEach
    void stop() throws Exception {
        logger().detachAppender(log);
        secure.close();
    }

    private LinkSecurity certificate(String commonName, Authority by) {
        Path chain = directory.resolve(commonName + ".pem");
        Path key = directory.resolve(commonName + "-key.pem");
        by.issueClient(commonName, chain, key);
        return secure.showing(new LinkSecurity.Certificate(chain, key));
    }

    private LinkSecurity token(Path file) {
        return secure.showing(new LinkSecurity.Token(file));
    }

    /** Refused at each try, counted each time, logged once; nobody attached. */
    private void assertRefused(String reason, String node, LinkSecurity security) {
        secure.agent(node, security);
        String last = secure.awaitRefusals(reason, 3).getLast();
        assertTrue(secure.events.isEmpty(), () -> "attached: " + secure.events);
        List<String> lines = List.copyOf(log.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
        assertEquals(1, lines.size(), () -> "logged once: " + lines);
        assertTrue(lines.getFirst().contains("reason=" + reason), lines::getFirst);
        assertTrue(lines.getFirst().contains(last), lines::getFirst);
        assertFalse(lines.getFirst().contains("token-"), "no secret in the log");
    }

    @Test
    void anAgentWithTheTokenOfItsNodeAttaches() throws Exception {
        secure.takesTokens().agent("n1", token(secure.goodToken("n1")));
        secure.awaitReport("n1");
        assertEquals(List.of(), secure.refusals());
    }

    @Test
    void theTokenOfAnotherNodeIsRefused() throws Exception {
        secure.takesTokens();
        assertRefused("OTHER_NODE", "n1", token(secure.goodToken("n2")));
    }

    @Test
    void theTokenOfAnotherAccountIsRefused() throws Exception {
        secure.takesTokens();
        Path file = secure.token(
                "t", "default/default", "n1", SecureServer.AUDIENCE, Duration.ofHours(1));
        assertRefused("OTHER_ACCOUNT", "n1", token(file));
    }

    @Test
    void aTokenOfNoNodeIsRefused() throws Exception {
        secure.takesTokens();
        Path file = secure.token(
                "t", SecureServer.ACCOUNT, "", SecureServer.AUDIENCE, Duration.ofHours(1));
        assertRefused("NO_NODE", "n1", token(file));
    }

    @Test
    void aTokenForSomebodyElseIsRefused() throws Exception {
        secure.takesTokens();
        Path file = secure.token("t", SecureServer.ACCOUNT, "n1", "vault", Duration.ofHours(1));
        assertRefused("INVALID_TOKEN", "n1", token(file));
    }

    @Test
    void aStaleTokenIsRefusedUntilKubeletHasRotatedIt() throws Exception {
        secure.takesTokens();
        Path file = secure.token(
                "token-n1",
                SecureServer.ACCOUNT,
                "n1",
                SecureServer.AUDIENCE,
                Duration.ofHours(-1));
        assertRefused("INVALID_TOKEN", "n1", token(file));
        assertEquals(file, secure.goodToken("n1"), "the same file");
        secure.awaitReport("n1");
    }

    @Test
    void aForgedTokenIsRefused() throws Exception {
        secure.takesTokens();
        assertRefused(
                "INVALID_TOKEN",
                "n1",
                token(Files.writeString(directory.resolve("t"), "token-forged")));
    }

    @Test
    void anAgentWithACertificateInPlaceOfATokenIsRefused() throws Exception {
        secure.takesTokens();
        assertRefused("NO_TOKEN", "n1", certificate("cede-agent:n1", agents));
    }

    @Test
    void whileTokensCannotBeReviewedTheAgentTriesAgain() throws Exception {
        secure.takesTokens();
        secure.disturbances.next(
                request -> request.path().endsWith("/tokenreviews"),
                Disturbance.internalError(),
                Disturbance.unanswered());
        secure.agent("n1", token(secure.goodToken("n1")));
        secure.awaitReport("n1");
        assertEquals(0, secure.disturbances.left());
        assertEquals(List.of(), secure.refusals(), "that is no refusal");
    }

    @Test
    void anAgentWithTheCertificateOfItsNodeAttaches() throws Exception {
        secure.takesCertificatesOf(agents).agent("n1", certificate("cede-agent:n1", agents));
        secure.awaitReport("n1");
        assertEquals(List.of(), secure.refusals());
    }

    @Test
    void theCertificateOfAnotherNodeIsRefused() throws Exception {
        secure.takesCertificatesOf(agents);
        assertRefused("OTHER_NODE", "n1", certificate("cede-agent:n2", agents));
    }

    @Test
    void anAgentWithoutACertificateIsRefused() throws Exception {
        secure.takesCertificatesOf(agents);
        assertRefused("NO_CERTIFICATE", "n1", token(secure.goodToken("n1")));
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        secure.takesCertificatesOf(agents);
        assertRefused(
                "UNTRUSTED_CERTIFICATE", "n1", certificate("cede-agent:n1", Authority.create("x")));
    }

    @Test
    void aStaleCertificateIsRefused() throws Exception {
        secure.takesCertificatesOf(agents);
        Path chain = directory.resolve("stale.pem");
        Path key = directory.resolve("stale-key.pem");
        agents.issueStaleClient("cede-agent:n1", chain, key);
        assertRefused(
                "UNTRUSTED_CERTIFICATE",
                "n1",
                secure.showing(new LinkSecurity.Certificate(chain, key)));
    }

    @Test
    void aNewAuthorityOfAgentsIsBelievedWithoutRestartAndOldStreamsStay() throws Exception {
        secure.takesCertificatesOf(agents).agent("n1", certificate("cede-agent:n1", agents));
        secure.awaitReport("n1");
        Authority next = Authority.create("next");
        secure.agent("n2", certificate("cede-agent:n2", next));
        secure.awaitRefusals("UNTRUSTED_CERTIFICATE", 1);
        next.writeTo(secure.agentCa);
        secure.awaitReport("n2");
        assertNull(secure.events.poll(), "n1's stream is the same");
    }

    @Test
    void theServersCertificateAndItsAuthorityAreExchangedWithoutRestart() throws Exception {
        secure.takesTokens().agent("n1", token(secure.goodToken("n1")));
        secure.awaitReport("n1");
        Authority next = Authority.create("next");
        secure.renewServer(next);
        SecureServer.await("the new certificate is shown", () -> !answers(secure.serverCa));
        secure.agent("n2", token(secure.goodToken("n2")));
        next.writeTo(secure.serverCa);
        secure.awaitReport("n2");
        assertNull(secure.events.poll(), "n1's stream is the same");
    }

    /** Whether a person who believes this authority gets an answer. */
    private boolean answers(Path authority) {
        try {
            return code(TlsChannelCredentials.newBuilder()
                            .trustManager(authority.toFile())
                            .build())
                    == Code.OK;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Code code(ChannelCredentials credentials) {
        ManagedChannel channel =
                Grpc.newChannelBuilder(secure.address(), credentials).build();
        try {
            InspectGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(30, TimeUnit.SECONDS)
                    .getLeader(GetLeaderRequest.getDefaultInstance());
            return Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void anAgentDoesNotShowItsTokenToAServerThatItDoesNotBelieve() throws Exception {
        secure.takesTokens();
        Authority.create("x").writeTo(secure.serverCa);
        assertFalse(answers(secure.serverCa));
        Path file = secure.goodToken("n1");
        secure.agent("n1", token(file));
        // A second one, which believes it, is let in; the first was not even refused.
        Path believed = directory.resolve("believed.pem");
        Authority known = Authority.create("known");
        known.writeTo(believed);
        secure.renewServer(known);
        secure.agent(
                "n2",
                new LinkSecurity.Tls(
                        believed,
                        Optional.empty(),
                        new LinkSecurity.Token(secure.goodToken("n2"))));
        secure.awaitReport("n2");
        assertTrue(secure.events.isEmpty());
    }

    @Test
    void plainTextIsNotUnderstood() throws Exception {
        secure.takesTokens();
        assertEquals(Code.UNAVAILABLE, code(InsecureChannelCredentials.create()));
        assertTrue(answers(secure.serverCa), "others are served");
    }

    @Test
    void aCallWithoutATokenIsToldSo() throws Exception {
        secure.takesTokens();
        ManagedChannel channel = Grpc.newChannelBuilder(
                        secure.address(),
                        TlsChannelCredentials.newBuilder()
                                .trustManager(secure.serverCa.toFile())
                                .build())
                .build();
        try {
            Ended ended = new Ended();
            AgentLinkGrpc.newStub(channel)
                    .attach(ended)
                    .onNext(AgentMessage.newBuilder()
                            .setReport(NodeReport.newBuilder().setNode("n1").setInstance("i"))
                            .build());
            Status status = Status.fromThrowable(ended.error.get(60, TimeUnit.SECONDS));
            assertEquals(Code.UNAUTHENTICATED, status.getCode());
            assertEquals("the call comes without a bearer token", status.getDescription());
        } finally {
            channel.shutdownNow();
        }
    }

    private static final class Ended implements StreamObserver<CoordinatorMessage> {
        private final CompletableFuture<Throwable> error = new CompletableFuture<>();

        @Override
        public void onNext(CoordinatorMessage message) {}

        @Override
        public void onError(Throwable cause) {
            error.complete(cause);
        }

        @Override
        public void onCompleted() {}
    }

    @Test
    void filesThatDoNotBelongTogetherStopTheStartAndChangeNothingLater() throws Exception {
        Path other = directory.resolve("other.pem");
        Path otherKey = directory.resolve("other-key.pem");
        Authority.create("x").issueServer(other, otherKey);
        Path key = directory.resolve("server-key.pem");
        Path right = Files.copy(key, directory.resolve("right-key.pem"));
        Files.copy(otherKey, key, StandardCopyOption.REPLACE_EXISTING);
        String message = assertThrows(SettingsException.class, () -> secure.takesTokens())
                .getMessage();
        assertTrue(message.contains("tls_key is " + key + "; it takes a PEM file"), message);
        assertTrue(message.contains("does not belong to the certificate"), message);
        Files.copy(right, key, StandardCopyOption.REPLACE_EXISTING);
        secure.takesTokens();
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        Logger files = (Logger) LoggerFactory.getLogger("dev.cede.tls.FollowedFiles");
        files.addAppender(seen);
        Files.copy(otherKey, key, StandardCopyOption.REPLACE_EXISTING);
        SecureServer.await("the pair is refused", () -> !List.copyOf(seen.list).isEmpty());
        files.detachAppender(seen);
        assertTrue(seen.list.getFirst().getFormattedMessage().contains("tls_files_refused"));
        assertTrue(answers(secure.serverCa), "the pair before is still shown");
    }

    @Test
    void aSecondStreamIsJudgedAnewAfterItsTokenWasRotatedAway() throws Exception {
        secure.takesTokens();
        Path file = secure.goodToken("n1");
        var link = secure.agent("n1", token(file));
        long first = secure.awaitReport("n1").stream();
        Files.writeString(file, "token-of-nobody");
        link.reconnect("test");
        assertEquals(
                new Event.AgentDetached("n1", first), secure.events.poll(60, TimeUnit.SECONDS));
        secure.awaitRefusals("INVALID_TOKEN", 1);
        secure.goodToken("n1");
        secure.awaitReport("n1");
    }
}
