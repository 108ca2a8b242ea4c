package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/**
 * What Cede leans on in an API server, asked over the wire in a namespace of its own. It takes no
 * look inside and waits where a real server takes its time, so the stand-in and a real one, of
 * Kubernetes 1.35 or newer, are held to the same tests.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ApiServerContract {

    /** No kubelet has it, so a pod that is bound to it stays as the server left it. */
    static final String NODE = "contract-node";

    static final String OTHER_UID = "11111111-2222-3333-4444-555555555555";

    static final String CONFLICT = "Conflict";
    static final String FORBIDDEN = "Forbidden";
    static final String INVALID = "Invalid";
    static final String NOT_FOUND = "NotFound";

    /** Only ends a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Supplier<KubernetesClient> server;
    private int podsMade;

    KubernetesClient client;
    String namespace;

    /** Path of the pods of the namespace. */
    String pods;

    ApiServerContract(Supplier<KubernetesClient> server) {
        this.server = server;
    }

    @BeforeAll
    void makeNamespace() {
        client = server.get();
        namespace = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withGenerateName("contract-")
                        .endMetadata()
                        .build())
                .create()
                .getMetadata()
                .getName();
        pods = "/api/v1/namespaces/" + namespace + "/pods";
        client.serviceAccounts()
                .inNamespace(namespace)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @AfterAll
    void removeNamespace() {
        client.namespaces().withName(namespace).delete();
        client.close();
    }

    /** No pod of one test is news in the next. */
    @AfterEach
    void removePods() {
        client.pods().inNamespace(namespace).withGracePeriod(0).delete();
    }

    ApiReply ask(ApiRequest request) {
        HttpRequest.Builder http = client.getHttpClient()
                .newHttpRequestBuilder()
                .uri(client.getMasterUrl().toString().replaceFirst("/+$", "") + target(request));
        if (!request.body().isEmpty()) {
            http.method(request.method(), request.contentType(), request.body());
        }
        try {
            HttpResponse<String> answer = client.getHttpClient()
                    .sendAsync(http.build(), String.class)
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return new ApiReply(answer.code(), Json.parse(answer.body()));
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(request + " was not answered", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String target(ApiRequest request) {
        return request.query().entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", request.path() + "?", ""));
    }

    static <T> T take(BlockingQueue<T> queue) {
        try {
            T taken = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return Objects.requireNonNull(taken, "nothing was heard in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    ObjectNode ok(ApiRequest request) {
        ApiReply reply = ask(request);
        assertTrue(reply.isSuccess(), () -> request + " gave " + reply);
        return (ObjectNode) reply.body();
    }

    void refused(int code, String reason, ApiRequest request) {
        ApiReply reply = ask(request);
        assertEquals(
                code + " " + reason,
                reply.code() + " " + Json.text(reply.body(), "reason"),
                () -> request + " gave " + reply);
    }

    ObjectNode get(String path) {
        return ok(ApiRequest.get(path));
    }

    boolean exists(String path) {
        ApiReply reply = ask(ApiRequest.get(path));
        assertTrue(reply.isSuccess() || reply.code() == 404, reply::toString);
        return reply.isSuccess();
    }

    /** A pod of a free name that no scheduler and no kubelet touches. */
    ObjectNode createPod() {
        return ok(ApiRequest.post(pods, newPod("")));
    }

    /** {@code spec} is more of the spec, each field with a comma before it. */
    ObjectNode newPod(String spec) {
        return CoreFixture.json(("{'metadata':{'name':'p%d'},'spec':{'schedulerName':'nobody',"
                        + "'automountServiceAccountToken':false,"
                        + "'containers':[{'name':'c','image':'none'}]%s}}")
                .formatted(podsMade++, spec));
    }

    ObjectNode boundPod() {
        return bind(createPod());
    }

    ObjectNode bind(ObjectNode pod) {
        ok(binding(pod, ""));
        return again(pod);
    }

    /** {@code metadata} is more of the binding's metadata, each field with a comma before it. */
    ApiRequest binding(ObjectNode pod, String metadata) {
        return ApiRequest.post(
                path(pod) + "/binding", CoreFixture.binding(name(pod), NODE, metadata));
    }

    /** As the coordinator writes a status. */
    ApiRequest statusPatch(ObjectNode pod, String patch) {
        return ApiRequest.strategicMergePatch(path(pod) + "/status", CoreFixture.json(patch));
    }

    ApiRequest delete(ObjectNode pod, String options) {
        return ApiRequest.delete(path(pod), CoreFixture.json(options));
    }

    /** The pod as it is now. */
    ObjectNode again(ObjectNode pod) {
        return get(path(pod));
    }

    String path(ObjectNode pod) {
        return pods + "/" + name(pod);
    }

    static String name(ObjectNode object) {
        return Json.text(object, "metadata", "name");
    }

    static String uid(ObjectNode object) {
        return Json.text(object, "metadata", "uid");
    }

    static String version(ObjectNode object) {
        return Json.text(object, "metadata", "resourceVersion");
    }

    static ObjectNode condition(ObjectNode object, String type) {
        List<ObjectNode> found = Json.objects(object, "status", "conditions").stream()
                .filter(condition -> Json.text(condition, "type").equals(type))
                .toList();
        assertEquals(1, found.size(), () -> "conditions " + type + " of " + object);
        return found.getFirst();
    }
}
