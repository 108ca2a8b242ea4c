package dev.cede.coordinator.simulation;

import dev.cede.testbed.apiserver.ApiReply;
import dev.cede.testbed.apiserver.ApiRequest;
import dev.cede.testbed.kubelet.api.NodeView;
import dev.cede.testbed.kubelet.api.StatusMerge;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** Brings kubelet's news to the API server in order, each until it is taken. */
final class NodeWriter {
    private static final long RETRY = 100;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final World world;
    private final SimulatedProcess process;
    private final Draws draws;
    private final String node;
    private final KubeletSettings settings;
    private final Queue<Supplier<ApiReply>> writes = new ArrayDeque<>();
    private boolean busy;

    NodeWriter(
            World world,
            SimulatedProcess process,
            Draws draws,
            String node,
            KubeletSettings settings) {
        this.world = world;
        this.process = process;
        this.draws = draws;
        this.node = node;
        this.settings = settings;
    }

    void status(PodStatusView view) {
        submit(() -> {
            Pod pod = world.api.pods.now.get(view.pod().uid());
            if (pod == null) {
                return new ApiReply(NOT_FOUND, Api.object("{}"));
            }
            ObjectNode body = Api.TREES.createObjectNode();
            body.putObject("metadata")
                    .put("uid", view.pod().uid())
                    .put("resourceVersion", pod.getMetadata().getResourceVersion());
            body.set(
                    "status",
                    Api.tree(StatusMerge.merge(pod.getStatus(), view, world.time.instant())));
            return world.api.call(ApiRequest.mergePatch(path(view.pod()) + "/status", body));
        });
    }

    void remove(PodSpec.Id pod) {
        ObjectNode body = Api.object("{'gracePeriodSeconds':0}");
        body.putObject("preconditions").put("uid", pod.uid());
        submit(() -> {
            ApiReply reply = world.api.call(ApiRequest.delete(path(pod), body));
            // A conflict here says that the name belongs to another pod by now.
            return reply.code() == CONFLICT ? new ApiReply(NOT_FOUND, reply.body()) : reply;
        });
    }

    void node(Effect.PublishNode publish) {
        Node view = NodeView.of(node, settings, publish, world.time.instant());
        submit(() -> {
            String path = "/api/v1/nodes/" + node;
            boolean there = world.api.nodes.now.values().stream()
                    .anyMatch(each -> each.getMetadata().getName().equals(node));
            ObjectNode whole = Api.tree(view);
            if (!there) {
                world.api.call(ApiRequest.post("/api/v1/nodes", whole));
            }
            ObjectNode status = Api.TREES.createObjectNode();
            status.set("status", whole.get("status"));
            return world.api.call(ApiRequest.mergePatch(path + "/status", status));
        });
    }

    private static String path(PodSpec.Id pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    }

    private void submit(Supplier<ApiReply> write) {
        writes.add(write);
        next();
    }

    private void next() {
        if (!busy && !writes.isEmpty()) {
            busy = true;
            process.after(world.faults.delay(draws, 10, 800), this::write);
        }
    }

    private void write() {
        boolean refused = draws.chance(world.faults.rates().apiError());
        if (refused || retryable(writes.peek().get())) {
            process.after(RETRY, this::write);
            return;
        }
        writes.remove();
        busy = false;
        next();
    }

    private static boolean retryable(ApiReply reply) {
        return reply.code() == CONFLICT || reply.code() == 429 || reply.code() >= 500;
    }
}
