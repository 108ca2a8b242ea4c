package dev.cede.testbed.kubelet;

import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.core.Effect;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings kubelet's news to the API in order, on its own thread, until the API has taken them. */
final class ApiWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiWriter.class);
    private static final long RETRY_MILLIS = 100;

    private final NodeApi api;
    private final String nodeName;
    private final ExecutorService thread;

    ApiWriter(NodeApi api, String nodeName) {
        this.api = api;
        this.nodeName = nodeName;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "kubelet-api-" + nodeName);
            made.setDaemon(true);
            return made;
        });
    }

    void status(Effect.WriteStatus write) {
        submit(() -> api.writeStatus(write.status()));
    }

    void remove(Effect.RemovePod remove) {
        submit(() -> api.removePod(remove.pod()));
    }

    void node(Node node) {
        submit(() -> api.publishNode(node));
    }

    void event(Effect.EmitEvent emit) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Event event = new EventBuilder()
                .withNewMetadata()
                .withGenerateName(emit.pod().name() + ".")
                .withNamespace(emit.pod().namespace())
                .endMetadata()
                .withType(emit.type())
                .withReason(emit.reason())
                .withMessage(emit.message())
                .withFirstTimestamp(now)
                .withLastTimestamp(now)
                .withCount(1)
                .withNewInvolvedObject()
                .withApiVersion("v1")
                .withKind("Pod")
                .withNamespace(emit.pod().namespace())
                .withName(emit.pod().name())
                .withUid(emit.pod().uid())
                .endInvolvedObject()
                .withNewSource("kubelet", nodeName)
                .build();
        submit(() -> api.createEvent(event));
    }

    private void submit(Runnable call) {
        try {
            thread.execute(() -> untilTaken(call));
        } catch (RejectedExecutionException e) {
            LOG.debug("kubelet of node={} is stopped", nodeName);
        }
    }

    private void untilTaken(Runnable call) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                call.run();
                return;
            } catch (NodeApi.ApiException e) {
                if (!e.retryable()) {
                    LOG.error("the API refuses a write of node={}: {}", nodeName, e.getMessage());
                    return;
                }
                LOG.debug("the API did not take a write of node={}: {}", nodeName, e.getMessage());
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
