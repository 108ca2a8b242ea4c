package dev.cede.coordinator.agents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.identity.AgentGate;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.v1.AgentLinkGrpc;
import dev.cede.v1.AgentMessage;
import dev.cede.v1.Card;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.v1.NodeReport;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AgentLinksIT {
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AgentLinks links = new AgentLinks(events::add, () -> "b:1", AgentGate.OPEN);
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        server = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        InsecureServerCredentials.create())
                .addService(links)
                .build()
                .start();
        channel = Grpc.newChannelBuilder(
                        "127.0.0.1:" + server.getPort(), InsecureChannelCredentials.create())
                .build();
        links.lead();
    }

    @AfterEach
    void stop() throws InterruptedException {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }

    /** An agent's end of a stream. */
    private final class Agent implements StreamObserver<CoordinatorMessage> {
        final LinkedBlockingQueue<CoordinatorMessage> orders = new LinkedBlockingQueue<>();
        final CompletableFuture<Throwable> ended = new CompletableFuture<>();
        final StreamObserver<AgentMessage> out = AgentLinkGrpc.newStub(channel).attach(this);

        Agent report(String node, long version) {
            return say(AgentMessage.newBuilder()
                    .setReport(NodeReport.newBuilder()
                            .setNode(node)
                            .setInstance("i")
                            .setVersion(version)));
        }

        Agent say(AgentMessage.Builder message) {
            out.onNext(message.build());
            return this;
        }

        Status end() throws Exception {
            return Status.fromThrowable(ended.get(60, TimeUnit.SECONDS));
        }

        @Override
        public void onNext(CoordinatorMessage order) {
            orders.add(order);
        }

        @Override
        public void onError(Throwable cause) {
            ended.complete(cause);
        }

        @Override
        public void onCompleted() {
            ended.complete(Status.OK.asException());
        }
    }

    private <T extends Event> T await(Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, events.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void ordersGoToTheStreamThatReportedAndAnswersComeBack() throws Exception {
        Agent agent = new Agent().report("n1", 1);
        Event.AgentReported reported = await(Event.AgentReported.class);
        assertEquals("n1", reported.node());
        links.send(new Effect.Send(
                "n1", reported.stream() + 1, new Epoch(3), "o0", new Order.Drop("u0")));
        links.send(
                new Effect.Send("n1", reported.stream(), new Epoch(3), "o1", new Order.Drop("u1")));
        CoordinatorMessage order = agent.orders.poll(60, TimeUnit.SECONDS);
        assertEquals("o1", order.getOrderId(), "the one to another stream was dropped");
        assertEquals(3, order.getEpoch());
        assertEquals("u1", order.getDrop().getPodUid());

        agent.say(AgentMessage.newBuilder()
                .setResult(dev.cede.v1.OrderResult.newBuilder().setOrderId("o1")));
        OrderResult result = await(Event.OrderAnswered.class).result();
        assertEquals(new OrderResult("o1", OrderResult.Refusal.NONE, ""), result);
    }

    @Test
    void aNewerStreamReplacesTheOlderOne() throws Exception {
        Agent older = new Agent().report("n1", 1);
        long first = await(Event.AgentReported.class).stream();
        new Agent().report("n1", 2);
        assertEquals(new Event.AgentDetached("n1", first), await(Event.AgentDetached.class));
        assertTrue(await(Event.AgentReported.class).stream() > first);
        assertEquals(Code.ABORTED, older.end().getCode());
    }

    @Test
    void theEndOfAStreamIsItsLastEvent() throws Exception {
        Agent agent = new Agent().report("n1", 1);
        long stream = await(Event.AgentReported.class).stream();
        agent.out.onCompleted();
        assertEquals(new Event.AgentDetached("n1", stream), await(Event.AgentDetached.class));
        assertEquals(Code.OK, agent.end().getCode());
        assertTrue(events.isEmpty());
    }

    @Test
    void whoDoesNotLeadNamesTheLeader() throws Exception {
        links.stop();
        Agent agent = new Agent();
        assertEquals(Code.UNAVAILABLE, agent.end().getCode());
        assertEquals("b:1", Status.trailersFromThrowable(agent.ended.get()).get(NotLeading.LEADER));
    }

    @Test
    void losingLeadershipClosesAllStreams() throws Exception {
        Agent agent = new Agent().report("n1", 1);
        await(Event.AgentReported.class);
        links.stop();
        await(Event.AgentDetached.class);
        assertEquals(Code.UNAVAILABLE, agent.end().getCode());
    }

    @Test
    void aBadMessageEndsTheStreamAndNamesTheField() throws Exception {
        assertRefused("report.node: empty", new Agent().report("", 1));
        assertRefused("message: empty", new Agent().say(AgentMessage.newBuilder()));
        assertRefused(
                "result: a stream begins with a report",
                new Agent()
                        .say(AgentMessage.newBuilder()
                                .setResult(dev.cede.v1.OrderResult.newBuilder().setOrderId("o"))));
        assertRefused(
                "report: card health",
                new Agent()
                        .say(AgentMessage.newBuilder()
                                .setReport(NodeReport.newBuilder()
                                        .setNode("n1")
                                        .setInstance("i")
                                        .addCards(Card.newBuilder().setUuid("GPU-1")))));
        Agent renamed = new Agent().report("n1", 1);
        await(Event.AgentReported.class);
        assertRefused("report.node: n2; this stream is of node n1", renamed.report("n2", 2));
        await(Event.AgentDetached.class);
        assertTrue(events.isEmpty());
    }

    private static void assertRefused(String sentence, Agent agent) throws Exception {
        Status status = agent.end();
        assertEquals(Code.INVALID_ARGUMENT, status.getCode());
        assertTrue(status.getDescription().contains(sentence), status.getDescription());
    }
}
