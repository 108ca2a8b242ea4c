package dev.cede.agent.link;

import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.v1.AgentMessage;
import dev.cede.v1.AllocationRefused;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.wire.LinkWire;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one stream to the coordinator that leads: dials each address in turn, follows the leader's
 * address where one that does not lead names it, and dials again when the stream ends. What is sent
 * while there is none is lost; the report after the next connect holds everything.
 */
public final class CoordinatorLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorLink.class);

    /** Trailer of a coordinator that does not lead: the leader's host:port. */
    private static final Metadata.Key<String> LEADER =
            Metadata.Key.of("cede-leader", Metadata.ASCII_STRING_MARSHALLER);

    private static final long FIRST_DELAY_MILLIS = 50;
    private static final long LAST_DELAY_MILLIS = 2_000;

    /** Told what happens, on the link's own thread. */
    public interface Listener {
        void connected();

        void disconnected();

        void ordered(Epoch epoch, String orderId, Order order);
    }

    private final List<String> addresses;
    private final Dialer dialer;
    private final Listener listener;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread named = new Thread(task, "cede-link");
                named.setDaemon(true);
                return named;
            });
    private int next;
    private int failures;
    private Optional<String> leader = Optional.empty();
    private Optional<Stream> stream = Optional.empty();

    public CoordinatorLink(List<String> addresses, Dialer dialer, Listener listener) {
        this.addresses = List.copyOf(addresses);
        this.dialer = dialer;
        this.listener = listener;
    }

    public void start() {
        onThread(this::dial);
    }

    public void send(NodeReport report) {
        send(AgentMessage.newBuilder().setReport(LinkWire.write(report)).build());
    }

    public void send(OrderResult result) {
        send(AgentMessage.newBuilder().setResult(LinkWire.write(result)).build());
    }

    /** Kubelet's call named no pod, so neither does this. */
    public void sendRefused(String reason) {
        send(AgentMessage.newBuilder()
                .setRefused(AllocationRefused.newBuilder().setReason(reason))
                .build());
    }

    private void send(AgentMessage message) {
        onThread(() -> stream.ifPresent(each -> each.requests.onNext(message)));
    }

    private void dial() {
        String address = leader.orElseGet(() -> addresses.get(next++ % addresses.size()));
        leader = Optional.empty();
        Stream fresh = new Stream(address);
        stream = Optional.of(fresh);
        fresh.open();
        listener.connected();
    }

    private void ended(Stream ended, Status status, Optional<String> leads) {
        if (stream.filter(current -> current == ended).isEmpty()) {
            return;
        }
        stream = Optional.empty();
        ended.channel.shutdownNow();
        listener.disconnected();
        leader = leads.filter(dialer::mayDial);
        long delay = Math.min(LAST_DELAY_MILLIS, FIRST_DELAY_MILLIS << Math.min(failures, 6));
        if (failures == 0) {
            LOG.info(
                    "event=coordinator_left address={} reason=\"{}\" leader={}",
                    ended.address,
                    status.getDescription(),
                    leads.orElse("unknown"));
        }
        failures++;
        var unused = thread.schedule(this::dial, delay, TimeUnit.MILLISECONDS);
    }

    private void received(Stream from, CoordinatorMessage message) {
        if (stream.filter(current -> current == from).isEmpty()) {
            return;
        }
        if (failures > 0 || !from.heard) {
            LOG.info(
                    "event=coordinator_found address={} epoch={}",
                    from.address,
                    message.getEpoch());
        }
        from.heard = true;
        failures = 0;
        try {
            listener.ordered(
                    new Epoch(message.getEpoch()), message.getOrderId(), LinkWire.read(message));
        } catch (IllegalArgumentException e) {
            LOG.error("event=order_not_understood reason=\"{}\"", e.getMessage());
            from.requests.onError(Status.INVALID_ARGUMENT
                    .withDescription("an order is not understood: " + e.getMessage())
                    .asException());
        }
    }

    private void onThread(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=link_closed_already");
        }
    }

    /** Ends the stream, and dials again; what was sent may not have arrived. */
    public void reconnect(String reason) {
        onThread(() -> stream.ifPresent(
                each -> ended(each, Status.ABORTED.withDescription(reason), Optional.empty())));
    }

    @Override
    public void close() {
        onThread(() -> {
            stream.ifPresent(each -> each.channel.shutdownNow());
            stream = Optional.empty();
            // Not shutdown: a dial that is planned would still run.
            var unused = thread.shutdownNow();
        });
    }

    /** One attempt. */
    private final class Stream implements StreamObserver<CoordinatorMessage> {
        private final String address;
        private final ManagedChannel channel;
        private StreamObserver<AgentMessage> requests;
        private boolean heard;

        private Stream(String address) {
            this.address = address;
            this.channel = dialer.open(address);
        }

        private void open() {
            requests = dialer.stub(channel).attach(this);
        }

        @Override
        public void onNext(CoordinatorMessage message) {
            onThread(() -> received(this, message));
        }

        @Override
        public void onError(Throwable error) {
            Metadata trailers = Status.trailersFromThrowable(error);
            Optional<String> leads = Optional.ofNullable(trailers).map(each -> each.get(LEADER));
            onThread(() -> ended(this, Status.fromThrowable(error), leads));
        }

        @Override
        public void onCompleted() {
            onThread(() -> ended(
                    this, Status.OK.withDescription("it closed the stream"), Optional.empty()));
        }
    }
}
