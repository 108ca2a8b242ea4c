package dev.cede.agent;

import dev.cede.deviceplugin.UnixSockets;
import dev.cede.v1.CardServiceGrpc;
import dev.cede.v1.ListNodeCardsRequest;
import dev.cede.v1.ListNodeCardsResponse;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The agent's own service: its cards, with reflection and health. */
final class CardServer implements AutoCloseable {
    /** Before a path in {@code listen}. */
    static final String UNIX = "unix:";

    private final Cards cards = new Cards();
    private final HealthStatusManager health = new HealthStatusManager();
    private final String listen;
    private final Server server;

    private CardServer(String listen, ServerBuilder<?> builder) throws IOException {
        this.listen = listen;
        health.setStatus(CardServiceGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
        this.server = builder.addService(cards)
                .addService(health.getHealthService())
                .addService(ProtoReflectionServiceV1.newInstance())
                .build()
                .start();
    }

    static CardServer start(UnixSockets sockets, String listen) throws IOException {
        if (listen.startsWith(UNIX)) {
            Path socket = Path.of(listen.substring(UNIX.length()));
            Files.deleteIfExists(socket);
            return new CardServer(listen, sockets.server(socket));
        }
        int colon = listen.lastIndexOf(':');
        return new CardServer(
                listen,
                NettyServerBuilder.forAddress(new InetSocketAddress(
                        listen.substring(0, colon),
                        Integer.parseInt(listen.substring(colon + 1)))));
    }

    /** Where it really listens, also where the configured port is 0. */
    String address() {
        return listen.startsWith(UNIX)
                ? listen
                : listen.substring(0, listen.lastIndexOf(':') + 1) + server.getPort();
    }

    void publish(CardView view) {
        cards.publish(view);
        health.setStatus(CardServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
    }

    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdownNow();
    }

    /** The latest view, for those who ask and those who watch. */
    private static final class Cards extends CardServiceGrpc.CardServiceImplBase {
        private final Map<ServerCallStreamObserver<ListNodeCardsResponse>, String> watchers =
                new LinkedHashMap<>();
        private Optional<CardView> latest = Optional.empty();

        private synchronized void publish(CardView view) {
            latest = Optional.of(view);
            watchers.forEach((watcher, card) -> watcher.onNext(view.response(card)));
        }

        @Override
        public synchronized void listCards(
                ListNodeCardsRequest request, StreamObserver<ListNodeCardsResponse> response) {
            Optional<Status> refusal = refusal(request);
            if (refusal.isPresent()) {
                response.onError(refusal.get().asException());
                return;
            }
            response.onNext(latest.orElseThrow().response(request.getCard()));
            response.onCompleted();
        }

        @Override
        public synchronized void watchCards(
                ListNodeCardsRequest request, StreamObserver<ListNodeCardsResponse> response) {
            Optional<Status> refusal = refusal(request);
            if (refusal.isPresent()) {
                response.onError(refusal.get().asException());
                return;
            }
            var watcher = (ServerCallStreamObserver<ListNodeCardsResponse>) response;
            watcher.setOnCancelHandler(() -> forget(watcher));
            watcher.onNext(latest.orElseThrow().response(request.getCard()));
            watchers.put(watcher, request.getCard());
        }

        private synchronized void forget(ServerCallStreamObserver<ListNodeCardsResponse> watcher) {
            watchers.remove(watcher);
        }

        private Optional<Status> refusal(ListNodeCardsRequest request) {
            if (latest.isEmpty()) {
                return Optional.of(
                        Status.UNAVAILABLE.withDescription("the cards are not read yet"));
            }
            boolean known = request.getCard().isEmpty() || latest.get().hasCard(request.getCard());
            return known
                    ? Optional.empty()
                    : Optional.of(Status.NOT_FOUND.withDescription(
                            "this node has no card " + request.getCard()));
        }
    }
}
