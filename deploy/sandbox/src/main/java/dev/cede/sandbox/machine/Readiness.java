package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.ListNodesRequest;
import dev.cede.v1.NodeSummary;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits until the coordinator leads and every node takes binds. */
final class Readiness {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final long CALL_SECONDS = 10;

    private final ManagedChannel channel;
    private final int nodes;
    private String last = "the coordinator did not answer";

    /** Closes the channel to the coordinator when it is done. */
    Readiness(ManagedChannel channel, int nodes) {
        this.channel = channel;
        this.nodes = nodes;
    }

    /** @param failure why it is no use to wait any longer */
    void await(Supplier<Optional<String>> failure) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            while (!isReady()) {
                failure.get().ifPresent(sentence -> {
                    throw new SandboxException(sentence);
                });
                if (System.nanoTime() > deadline) {
                    throw new SandboxException("Not all agents attached within %d s: %s."
                            .formatted(LIMIT.toSeconds(), last));
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private boolean isReady() {
        try {
            List<NodeSummary> seen = InspectGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                    .listNodes(ListNodesRequest.getDefaultInstance())
                    .getNodesList();
            last = seen.stream()
                    .map(node -> node.getName() + " "
                            + (node.getTakesBinds() ? "ready" : node.getReason()))
                    .collect(Collectors.joining(", "));
            return seen.stream().filter(NodeSummary::getTakesBinds).count() == nodes;
        } catch (StatusRuntimeException e) {
            last = "the coordinator answered " + e.getStatus().getCode();
            return false;
        }
    }
}
