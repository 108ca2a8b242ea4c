package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A core with a clock that tests move, and short ways to ask it. JSON may use single quotes. */
final class CoreFixture {

    static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    static final String PODS = "/api/v1/namespaces/default/pods";
    static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    static final String REPLICA_SETS = "/apis/apps/v1/namespaces/default/replicasets";

    final ApiCore core;
    private Instant now = START;

    CoreFixture() {
        this(ApiCore.DEFAULT_HISTORY);
    }

    CoreFixture(int history) {
        core = new ApiCore(1, history, START);
    }

    static ObjectNode json(String text) {
        return Json.parseObject(text.replace('\'', '"'));
    }

    void advance(long seconds) {
        now = now.plusSeconds(seconds);
    }

    Instant now() {
        return now;
    }

    ApiReply ask(ApiRequest request) {
        return core.handle(request, now);
    }

    ObjectNode ok(ApiRequest request) {
        ApiReply reply = ask(request);
        assertTrue(reply.isSuccess(), () -> request + " gave " + reply);
        return (ObjectNode) reply.body();
    }

    /** The message of the refusal, which must have this code. */
    String refused(int code, ApiRequest request) {
        ApiReply reply = ask(request);
        assertEquals(code, reply.code(), () -> request + " gave " + reply);
        assertEquals("Failure", Json.text(reply.body(), "status"));
        return Json.text(reply.body(), "message");
    }

    ObjectNode get(String path) {
        return ok(ApiRequest.get(path));
    }

    List<ObjectNode> list(String path) {
        return Json.objects(get(path), "items");
    }

    List<String> names(String path) {
        return list(path).stream()
                .map(item -> Json.text(item, "metadata", "name"))
                .toList();
    }

    static String podText(String name) {
        return "{'metadata':{'name':'%s','labels':{'app':'%s'}},'spec':{'containers':[{'name':'c','image':'i'}]}}"
                .formatted(name, name);
    }

    ObjectNode createPod(String name) {
        return ok(ApiRequest.post(PODS, json(podText(name))));
    }

    ObjectNode boundPod(String name, String node) {
        createPod(name);
        bind(name, node);
        return get(PODS + "/" + name);
    }

    void bind(String name, String node) {
        ok(ApiRequest.post(PODS + "/" + name + "/binding", binding(name, node, "")));
    }

    /** {@code metadata} is more of the binding's metadata, each field with a comma before it. */
    static ObjectNode binding(String pod, String node, String metadata) {
        return json("{'metadata':{'name':'%s'%s},'target':{'kind':'Node','name':'%s'}}"
                .formatted(pod, metadata, node));
    }

    void setPhase(String name, String phase) {
        String ready = phase.equals("Running") ? "True" : "False";
        ok(ApiRequest.mergePatch(
                PODS + "/" + name + "/status",
                json("{'status':{'phase':'%s','conditions':[{'type':'Ready','status':'%s'}]}}"
                        .formatted(phase, ready))));
    }

    boolean exists(String path) {
        return ask(ApiRequest.get(path)).code() == 200;
    }

    static ObjectNode deployment(String name, int replicas, String image, String more) {
        return json(
                ("{'metadata':{'name':'%s'},'spec':{'replicas':%d,'selector':{'matchLabels':{'app':'%s'}},%s"
                                + "'template':{'metadata':{'labels':{'app':'%s'}},"
                                + "'spec':{'containers':[{'name':'c','image':'%s'}]}}}}")
                        .formatted(name, replicas, name, more, name, image));
    }

    static ObjectNode deployment(String name, int replicas) {
        return deployment(name, replicas, "i", "");
    }

    Watch watch(String target) {
        return core.watch(ApiRequest.get(target), now).orElseThrow();
    }

    /** The news of a watch as {@code TYPE name}. */
    List<String> news(Watch watch) {
        List<String> news = new ArrayList<>();
        for (JsonNode event : watch.poll(now)) {
            String name = Json.text(event, "object", "metadata", "name");
            news.add((Json.text(event, "type") + " " + name).strip());
        }
        return news;
    }
}
