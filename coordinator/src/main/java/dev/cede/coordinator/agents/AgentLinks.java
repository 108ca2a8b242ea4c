package dev.cede.coordinator.agents;

import dev.cede.coordinator.identity.AgentGate;
import dev.cede.coordinator.identity.Caller;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.NodeReport;
import dev.cede.v1.AgentLinkGrpc;
import dev.cede.v1.AgentMessage;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.wire.LinkWire;
import io.grpc.BindableService;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agents' streams: one for each node, of which a newer one replaces the older. Events of a
 * stream are posted in order, and {@link Event.AgentDetached} is the last one of it.
 */
public final class AgentLinks implements BindableService {
    private static final Logger LOG = LoggerFactory.getLogger(AgentLinks.class);

    private final EventSink sink;
    private final Supplier<String> leader;
    private final AgentGate gate;
    private final Map<String, AgentStream> byNode = new TreeMap<>();
    private final Set<AgentStream> nameless = new HashSet<>();
    private boolean leading;
    private long lastStream;

    /**
     * Refuses every stream until this process leads.
     *
     * @param leader the leader's address, empty when it is not known
     * @param gate asked for each stream, in the thread of its call and without a lock
     */
    public AgentLinks(EventSink sink, Supplier<String> leader, AgentGate gate) {
        this.sink = sink;
        this.leader = leader;
        this.gate = gate;
    }

    /** Takes streams from now on. */
    public synchronized void lead() {
        leading = true;
    }

    /** Closes all streams, so that agents look for the new leader. */
    public void stop() {
        for (AgentStream stream : takeAll()) {
            stream.close(NotLeading.answer(leader.get()));
        }
    }

    private synchronized Collection<AgentStream> takeAll() {
        leading = false;
        List<AgentStream> all = new ArrayList<>(byNode.values());
        all.addAll(nameless);
        all.forEach(this::forget);
        return all;
    }

    /** To that stream only; dropped when it is gone. */
    public void send(Effect.Send send) {
        CoordinatorMessage message = LinkWire.write(send.order())
                .setEpoch(send.epoch().value())
                .setOrderId(send.orderId())
                .build();
        AgentStream stream = attached(send.node());
        if (stream == null || stream.number() != send.stream()) {
            LOG.debug("order_dropped node={} stream={}", send.node(), send.stream());
            return;
        }
        if (!stream.send(message)) {
            end(
                    stream,
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "the agent leaves " + LinkLimits.UNREAD_ORDERS + " orders unread"));
        }
    }

    private synchronized AgentStream attached(String node) {
        return byNode.get(node);
    }

    @Override
    public ServerServiceDefinition bindService() {
        return ServerInterceptors.intercept(
                new AgentLinkGrpc.AgentLinkImplBase() {
                    @Override
                    public StreamObserver<AgentMessage> attach(
                            StreamObserver<CoordinatorMessage> out) {
                        return opened((ServerCallStreamObserver<CoordinatorMessage>) out);
                    }
                },
                Caller.interceptor());
    }

    private synchronized StreamObserver<AgentMessage> opened(
            ServerCallStreamObserver<CoordinatorMessage> out) {
        AgentStream stream = new AgentStream(++lastStream, Caller.current(), out);
        if (leading) {
            nameless.add(stream);
        } else {
            stream.close(NotLeading.answer(leader.get()));
        }
        return new Inbound(stream);
    }

    private final class Inbound implements StreamObserver<AgentMessage> {
        private final AgentStream stream;

        Inbound(AgentStream stream) {
            this.stream = stream;
        }

        @Override
        public void onNext(AgentMessage message) {
            if (stream.isClosed()) {
                return;
            }
            sink.pace();
            try {
                take(stream, message);
            } catch (IllegalArgumentException | ArithmeticException e) {
                end(stream, Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
            } catch (StatusRuntimeException e) {
                end(stream, e.getStatus());
            }
        }

        @Override
        public void onError(Throwable cause) {
            end(stream, Status.CANCELLED.withDescription(cause.toString()));
        }

        @Override
        public void onCompleted() {
            end(stream, Status.OK);
        }
    }

    private void take(AgentStream stream, AgentMessage message) {
        switch (message.getMessageCase()) {
            case REPORT -> {
                NodeReport report = AgentMessages.report(message.getReport());
                if (stream.node().isEmpty()) {
                    gate.admit(stream.caller(), report.node());
                }
                report(stream, report);
            }
            case RESULT -> {
                String node = named(stream, "result");
                posted(
                        stream,
                        new Event.OrderAnswered(
                                node, stream.number(), AgentMessages.result(message.getResult())));
            }
            case REFUSED -> {
                String node = named(stream, "refused");
                posted(stream, AgentMessages.refused(node, message.getRefused()));
            }
            case MESSAGE_NOT_SET ->
                throw new IllegalArgumentException(
                        "message: empty; one of report, result, refused is expected");
        }
    }

    private String named(AgentStream stream, String field) {
        if (stream.node().isEmpty()) {
            throw new IllegalArgumentException(field + ": a stream begins with a report");
        }
        return stream.node();
    }

    private synchronized void report(AgentStream stream, NodeReport report) {
        if (stream.node().isEmpty()) {
            name(stream, report.node());
        } else if (!stream.node().equals(report.node())) {
            throw new IllegalArgumentException(
                    "report.node: " + report.node() + "; this stream is of node " + stream.node());
        }
        posted(stream, new Event.AgentReported(report.node(), stream.number(), report));
    }

    private void name(AgentStream stream, String node) {
        if (!nameless.remove(stream)) {
            return;
        }
        AgentStream older = byNode.get(node);
        if (older != null) {
            forget(older);
            older.close(Status.ABORTED
                    .withDescription("another stream of node " + node + " was opened")
                    .asRuntimeException());
        }
        stream.named(node);
        byNode.put(node, stream);
        LOG.info("agent_attached node={} stream={}", node, stream.number());
    }

    /** Under the lock, so that nothing of a stream follows its end. */
    private synchronized void posted(AgentStream stream, Event event) {
        if (byNode.get(stream.node()) == stream) {
            sink.post(event);
        }
    }

    private void end(AgentStream stream, Status status) {
        synchronized (this) {
            forget(stream);
        }
        if (status.isOk()) {
            stream.complete();
        } else {
            stream.close(status.asRuntimeException());
        }
    }

    private void forget(AgentStream stream) {
        nameless.remove(stream);
        if (byNode.remove(stream.node(), stream)) {
            LOG.info("agent_detached node={} stream={}", stream.node(), stream.number());
            sink.post(new Event.AgentDetached(stream.node(), stream.number()));
        }
    }
}
