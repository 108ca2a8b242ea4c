package dev.cede.coordinator.agents;

import dev.cede.coordinator.identity.Caller;
import dev.cede.v1.CoordinatorMessage;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;

import java.util.ArrayDeque;
import java.util.Queue;

/** One agent's stream. What the agent does not read in time waits here, up to a limit. */
final class AgentStream {
    private final long number;
    private final Caller caller;
    private final ServerCallStreamObserver<CoordinatorMessage> out;
    private final Queue<CoordinatorMessage> unread = new ArrayDeque<>();
    private volatile String node = "";
    private boolean closed;

    /** To be created within the call that opens the stream. */
    AgentStream(long number, Caller caller, ServerCallStreamObserver<CoordinatorMessage> out) {
        this.number = number;
        this.caller = caller;
        this.out = out;
        out.setOnReadyHandler(this::flush);
        // Without a handler a cancelled call throws at whoever writes next.
        out.setOnCancelHandler(this::cancelled);
    }

    long number() {
        return number;
    }

    Caller caller() {
        return caller;
    }

    /** Empty until the first report. */
    String node() {
        return node;
    }

    void named(String name) {
        node = name;
    }

    /** False when too many are unread. */
    synchronized boolean send(CoordinatorMessage message) {
        if (closed) {
            return true;
        }
        if (unread.size() == LinkLimits.UNREAD_ORDERS) {
            return false;
        }
        unread.add(message);
        flush();
        return true;
    }

    private synchronized void flush() {
        while (!closed && out.isReady() && !unread.isEmpty()) {
            out.onNext(unread.remove());
        }
    }

    private synchronized void cancelled() {
        closed = true;
        unread.clear();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized void close(StatusRuntimeException status) {
        if (!closed) {
            closed = true;
            out.onError(status);
        }
    }

    synchronized void complete() {
        if (!closed) {
            flush();
            closed = true;
            out.onCompleted();
        }
    }
}
