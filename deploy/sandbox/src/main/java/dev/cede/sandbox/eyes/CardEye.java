package dev.cede.sandbox.eyes;

import dev.cede.v1.CardServiceGrpc;
import dev.cede.v1.ListNodeCardsRequest;
import dev.cede.v1.ListNodeCardsResponse;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Watches one agent's cards, over its public service; goes on when the agent was away. */
final class CardEye implements AutoCloseable {
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

    private final ManagedChannel channel;
    private final Consumer<ListNodeCardsResponse> listener;
    private volatile boolean closed;

    private CardEye(ManagedChannel channel, Consumer<ListNodeCardsResponse> listener) {
        this.channel = channel;
        this.listener = listener;
    }

    static CardEye open(String address, Consumer<ListNodeCardsResponse> listener) {
        ManagedChannel channel = Grpc.newChannelBuilder(
                        address, InsecureChannelCredentials.create())
                .build();
        CardEye eye = new CardEye(channel, listener);
        eye.watch();
        return eye;
    }

    private void watch() {
        CardServiceGrpc.newStub(channel)
                .withWaitForReady()
                .watchCards(ListNodeCardsRequest.getDefaultInstance(), new Observer());
    }

    private final class Observer implements StreamObserver<ListNodeCardsResponse> {
        @Override
        public void onNext(ListNodeCardsResponse response) {
            listener.accept(response);
        }

        @Override
        public void onError(Throwable failure) {
            again();
        }

        @Override
        public void onCompleted() {
            again();
        }

        private void again() {
            LATER.execute(() -> {
                if (!closed) {
                    watch();
                }
            });
        }
    }

    @Override
    public void close() {
        closed = true;
        channel.shutdownNow();
    }
}
