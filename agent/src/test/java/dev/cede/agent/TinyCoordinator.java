package dev.cede.agent;

import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.v1.AgentLinkGrpc;
import dev.cede.v1.AgentMessage;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.wire.LinkWire;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A coordinator that does what a test says: welcomes each agent, and sends the orders it is told. */
final class TinyCoordinator extends AgentLinkGrpc.AgentLinkImplBase implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final Server server;
    private final Map<String, OrderResult> results = new TreeMap<>();
    private final List<String> refusals = new ArrayList<>();
    private Optional<StreamObserver<CoordinatorMessage>> stream = Optional.empty();
    private Optional<NodeReport> report = Optional.empty();
    private Optional<String> leader = Optional.empty();
    private Order.Welcome welcome = new Order.Welcome(List.of(), List.of());
    private Epoch epoch = new Epoch(1);
    private int orders;
    private int streams;

    TinyCoordinator() throws IOException {
        this.server = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(this)
                .build()
                .start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** From now on it refuses agents and names another. */
    synchronized void follow(String leaderAddress) {
        leader = Optional.of(leaderAddress);
    }

    synchronized void welcomeWith(Order.Welcome next) {
        welcome = next;
    }

    synchronized void epoch(long value) {
        epoch = new Epoch(value);
    }

    @Override
    public synchronized StreamObserver<AgentMessage> attach(
            StreamObserver<CoordinatorMessage> responses) {
        if (leader.isPresent()) {
            Metadata trailers = new Metadata();
            trailers.put(
                    Metadata.Key.of("cede-leader", Metadata.ASCII_STRING_MARSHALLER), leader.get());
            responses.onError(
                    Status.UNAVAILABLE.withDescription("not the leader").asException(trailers));
            return new Ignoring();
        }
        streams++;
        stream = Optional.of(responses);
        send("welcome-" + streams, welcome);
        return new Agent(responses);
    }

    private static final class Ignoring implements StreamObserver<AgentMessage> {
        @Override
        public void onNext(AgentMessage message) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    private final class Agent implements StreamObserver<AgentMessage> {
        private final StreamObserver<CoordinatorMessage> mine;

        private Agent(StreamObserver<CoordinatorMessage> mine) {
            this.mine = mine;
        }

        @Override
        public void onNext(AgentMessage message) {
            received(message);
        }

        @Override
        public void onError(Throwable error) {
            left(mine);
        }

        @Override
        public void onCompleted() {
            left(mine);
        }
    }

    private synchronized void received(AgentMessage message) {
        switch (message.getMessageCase()) {
            case REPORT -> report = Optional.of(LinkWire.read(message.getReport()));
            case RESULT -> {
                OrderResult result = LinkWire.read(message.getResult());
                results.put(result.orderId(), result);
            }
            case REFUSED -> refusals.add(message.getRefused().getReason());
            case MESSAGE_NOT_SET -> throw new IllegalArgumentException("an empty message");
        }
        notifyAll();
    }

    private synchronized void left(StreamObserver<CoordinatorMessage> mine) {
        if (stream.filter(each -> each == mine).isPresent()) {
            stream = Optional.empty();
        }
        notifyAll();
    }

    private void send(String id, Order order) {
        stream.orElseThrow()
                .onNext(LinkWire.write(order)
                        .setEpoch(epoch.value())
                        .setOrderId(id)
                        .build());
    }

    /** Sends an order and waits for its result. */
    synchronized OrderResult order(Order order) {
        String id = "order-" + ++orders;
        send(id, order);
        await("a result of " + order, () -> results.containsKey(id));
        return results.get(id);
    }

    synchronized NodeReport awaitReport(String what, Predicate<NodeReport> wanted) {
        await(what, () -> stream.isPresent() && report.filter(wanted).isPresent());
        return report.orElseThrow();
    }

    synchronized String awaitRefusal() {
        await("a refused allocation", () -> !refusals.isEmpty());
        return refusals.getFirst();
    }

    private void await(String what, java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("not within " + LIMIT + ": " + what
                        + "; the last report is " + report + ", the results are " + results);
            }
            try {
                wait(1 + left / 1_000_000);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting for " + what, e);
            }
        }
    }

    /** Ends the stream, as a leader that steps down. */
    synchronized void dropStream() {
        stream.ifPresent(each ->
                each.onError(Status.UNAVAILABLE.withDescription("stepping down").asException()));
        stream = Optional.empty();
        report = Optional.empty();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
