package dev.cede.testbed.apiserver;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A small Kubernetes API server as a state machine: the same requests at the same times from the
 * same seed give the same answers and the same watch events. It does no I/O, has no clock, draws
 * nothing but from the seed, and starts no thread. Not for use by several threads at once.
 *
 * <p>Served are the objects, their subresources and the controllers that a scheduler leans on; see
 * the kinds in {@link Kinds}. What is not served is refused, never ignored: server-side apply and
 * dry runs among them.
 */
public final class ApiCore {

    /** Changes that a watch can go back to unless told otherwise. */
    public static final int DEFAULT_HISTORY = 4096;

    private final Cluster cluster;
    private final Requests requests;
    private final Controllers controllers;

    /**
     * A cluster with its four namespaces and the two built-in priority classes.
     *
     * @param seed of UIDs and generated names
     * @param historyLimit changes kept for watches; a watch from before them is answered 410
     * @param now the time the cluster is born
     */
    public ApiCore(long seed, int historyLimit, Instant now) {
        if (historyLimit < 1) {
            throw new IllegalArgumentException("historyLimit must be 1 or more: " + historyLimit);
        }
        cluster = new Cluster(new Store(historyLimit), new Names(seed));
        requests = new Requests(cluster);
        controllers = new Controllers(cluster);
        cluster.beginAt(now);
        bootstrap();
    }

    private void bootstrap() {
        Creation creation = new Creation(cluster);
        for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
            ObjectNode namespace = Json.newObject();
            namespace.putObject("metadata").put("name", name);
            creation.create(Kinds.NAMESPACES, "", namespace);
        }
        for (String name : List.of("system-cluster-critical", "system-node-critical")) {
            ObjectNode priorityClass = Json.newObject();
            priorityClass.putObject("metadata").put("name", name);
            priorityClass.put("value", Priorities.BUILT_IN.get(name));
            creation.create(Kinds.PRIORITY_CLASSES, "", priorityClass);
        }
        controllers.settle();
    }

    /** The newest resource version. */
    public long revision() {
        return cluster.store().revision();
    }

    /** Answers one request. One that {@link #watch} takes is answered as a list. */
    public ApiReply handle(ApiRequest request, Instant now) {
        cluster.beginAt(now);
        ApiReply reply;
        try {
            reply = requests.answer(request);
        } catch (Refusal refusal) {
            reply = refusal.reply();
        }
        controllers.settle();
        return reply;
    }

    /** Gives out a token, which a TokenReview then knows. */
    public String issue(NodeToken token) {
        return requests.tokens().issue(token);
    }

    /** A watch if the request asks for one; empty if it is to be answered by {@link #handle}. */
    public Optional<Watch> watch(ApiRequest request, Instant now) {
        cluster.beginAt(now);
        return request.isWatch()
                ? Route.parse(request.path()).map(route -> Watch.of(cluster, route, request))
                : Optional.empty();
    }
}
