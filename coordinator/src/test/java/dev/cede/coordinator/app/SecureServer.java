package dev.cede.coordinator.app;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.cede.agent.link.CoordinatorLink;
import dev.cede.agent.link.Dialer;
import dev.cede.agent.link.LinkSecurity;
import dev.cede.coordinator.agents.AgentLinks;
import dev.cede.coordinator.config.Security;
import dev.cede.coordinator.identity.AgentIdentity;
import dev.cede.coordinator.inspect.InspectService;
import dev.cede.coordinator.kubernetes.ApiServer;
import dev.cede.coordinator.kubernetes.TokenReviewCalls;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.testbed.apiserver.ApiServerOptions;
import dev.cede.testbed.apiserver.Disturbances;
import dev.cede.testbed.apiserver.NodeToken;
import dev.cede.testbed.tls.Authority;
import dev.cede.v1.AgentRefusals;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.ListRefusedAgentsRequest;
import dev.cede.wire.LinkWire;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The coordinator's port with its gate, the API server's stand-in, and real agents' links. */
final class SecureServer implements AutoCloseable {
    static final String ACCOUNT = "cede-system/cede-agent";
    static final String AUDIENCE = "cede.dev/coordinator";
    private static final long LIMIT_SECONDS = 60;

    final Path directory;
    final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final dev.cede.testbed.apiserver.ApiServer api;
    final Disturbances disturbances;
    final Path serverCa;
    final Path agentCa;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Path certificate;
    private final Path key;
    private Authority serverAuthority = Authority.create("servers");
    private GrpcServer server;

    SecureServer(Path directory) throws IOException {
        this.directory = directory;
        this.serverCa = directory.resolve("server-ca.pem");
        this.agentCa = directory.resolve("agent-ca.pem");
        this.certificate = directory.resolve("server.pem");
        this.key = directory.resolve("server-key.pem");
        serverAuthority.writeTo(serverCa);
        serverAuthority.issueServer(certificate, key);
        api = keep(dev.cede.testbed.apiserver.ApiServer.start(ApiServerOptions.defaults()));
        disturbances = Disturbances.of(api);
    }

    SecureServer takesTokens() throws IOException {
        return start(new AgentIdentity.Token(AUDIENCE, ACCOUNT));
    }

    SecureServer takesCertificatesOf(Authority authority) throws IOException {
        authority.writeTo(agentCa);
        return start(new AgentIdentity.Certificate(agentCa));
    }

    private SecureServer start(AgentIdentity identity) throws IOException {
        Path kubeconfig = directory.resolve("kubeconfig");
        api.writeKubeconfig(kubeconfig);
        KubernetesClient client = keep(ApiServer.connect(Optional.of(kubeconfig)));
        Protection protection = keep(new Protection(
                new Security.Tls(certificate, key, identity), new TokenReviewCalls(client)));
        AgentLinks links = new AgentLinks(events::add, () -> "", protection.gate());
        links.lead();
        server = keep(GrpcServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                protection.tls(),
                List.of(
                        links,
                        new InspectService(
                                () -> Snapshot.empty(true, new Epoch(1)),
                                () -> "",
                                protection.refusals()::counts))));
        return this;
    }

    private <T extends AutoCloseable> T keep(T part) {
        open.push(part);
        return part;
    }

    String address() {
        return "127.0.0.1:" + server.port();
    }

    /** The server shows a certificate of another authority from now on. */
    void renewServer(Authority authority) {
        serverAuthority = authority;
        authority.issueServer(certificate, key);
    }

    /** Writes a token into a file, as kubelet does. */
    Path token(String file, String account, String node, String audience, Duration valid)
            throws IOException {
        String text =
                api.issue(new NodeToken(account, node, audience, Instant.now().plus(valid)));
        return Files.writeString(directory.resolve(file), text + "\n");
    }

    Path goodToken(String node) throws IOException {
        return token("token-" + node, ACCOUNT, node, AUDIENCE, Duration.ofHours(1));
    }

    LinkSecurity.Tls showing(LinkSecurity.Identity identity) {
        return new LinkSecurity.Tls(serverCa, Optional.empty(), identity);
    }

    /** A real agent's link, which says again and again that it is of this node. */
    CoordinatorLink agent(String node, LinkSecurity security) {
        Dialer dialer = keep(new Dialer(security));
        Reporting reporting = new Reporting(node);
        CoordinatorLink link = keep(new CoordinatorLink(List.of(address()), dialer, reporting));
        reporting.link = link;
        link.start();
        return link;
    }

    private static final class Reporting implements CoordinatorLink.Listener {
        private final NodeReport report;
        private CoordinatorLink link;

        Reporting(String node) {
            this.report = LinkWire.read(dev.cede.v1.NodeReport.newBuilder()
                    .setNode(node)
                    .setInstance("i")
                    .setVersion(1)
                    .build());
        }

        @Override
        public void connected() {
            link.send(report);
        }

        @Override
        public void disconnected() {}

        @Override
        public void ordered(Epoch epoch, String orderId, Order order) {}
    }

    /** The next event is a report of this node. */
    Event.AgentReported awaitReport(String node) throws InterruptedException {
        Event.AgentReported reported = assertInstanceOf(
                Event.AgentReported.class, events.poll(LIMIT_SECONDS, TimeUnit.SECONDS));
        if (!reported.node().equals(node)) {
            throw new AssertionError("a report of " + reported.node());
        }
        return reported;
    }

    /** As an operator asks, without an identity. */
    List<AgentRefusals> refusals() throws IOException {
        ManagedChannel channel = Grpc.newChannelBuilder(
                        address(),
                        TlsChannelCredentials.newBuilder()
                                .trustManager(serverCa.toFile())
                                .build())
                .build();
        try {
            return InspectGrpc.newBlockingStub(channel)
                    .listRefusedAgents(ListRefusedAgentsRequest.getDefaultInstance())
                    .getRefusalsList();
        } finally {
            channel.shutdownNow();
        }
    }

    /** Waits until so many were refused for this reason, so retries among them. */
    AgentRefusals awaitRefusals(String reason, int count) {
        await(reason + " " + count, () -> found(reason) >= count);
        try {
            return refusals().stream()
                    .filter(each -> each.getReason().equals(reason))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private long found(String reason) {
        try {
            return refusals().stream()
                    .filter(each -> each.getReason().equals(reason))
                    .mapToLong(AgentRefusals::getCount)
                    .sum();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within the limit: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() throws IOException {
        for (AutoCloseable part : open) {
            try {
                part.close();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
