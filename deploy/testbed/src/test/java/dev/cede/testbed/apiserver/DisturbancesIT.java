package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Failures on purpose, as a client sees them. */
@Timeout(60)
class DisturbancesIT {

    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    private final ApiServer server = start();
    private final Disturbances disturbances = Disturbances.of(server);
    private final HttpClient client = HttpClient.newHttpClient();

    private static ApiServer start() {
        try {
            return ApiServer.start(ApiServerOptions.defaults());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPost(ApiRequest request) {
        return request.method().equals("POST");
    }

    private static boolean isList(ApiRequest request) {
        return request.method().equals("GET") && !request.isWatch();
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private CompletableFuture<HttpResponse<String>> post(String name) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + CONFIG_MAPS))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"metadata\":{\"name\":\"" + name + "\"}}"))
                .build();
        return client.sendAsync(request, BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String target) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + target)).build();
        return client.send(request, BodyHandlers.ofString());
    }

    private boolean isThere(String name) {
        return server.handle(ApiRequest.get(CONFIG_MAPS + "/" + name)).isSuccess();
    }

    private static List<String> names(HttpResponse<String> list) {
        return Json.objects(Json.parseObject(list.body()), "items").stream()
                .map(ApiServerContract::name)
                .toList();
    }

    static List<Arguments> refusals() {
        return List.of(
                Arguments.of(Disturbance.conflict(), 409, "Conflict"),
                Arguments.of(Disturbance.busy(7), 429, "TooManyRequests"),
                Arguments.of(Disturbance.internalError(), 500, "InternalError"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusedRequestHasNoEffectAndTheNextOneHas(
            Disturbance disturbance, int code, String reason) {
        disturbances.next(DisturbancesIT::isPost, disturbance);
        HttpResponse<String> answer = post("a").join();
        assertEquals(code, answer.statusCode());
        ObjectNode status = Json.parseObject(answer.body());
        assertEquals("Status", Json.text(status, "kind"));
        assertEquals(reason, Json.text(status, "reason"));
        assertEquals(
                code == 429 ? "7" : "",
                answer.headers().firstValue("Retry-After").orElse(""));
        assertFalse(isThere("a"));
        assertEquals(0, disturbances.left());
        assertEquals(201, post("a").join().statusCode());
    }

    @Test
    void eachRequestMeetsTheNextDisturbanceOfTheFirstAnnouncementItMatches() throws Exception {
        disturbances.next(
                DisturbancesIT::isPost, Disturbance.conflict(), Disturbance.internalError());
        disturbances.next(request -> true, Disturbance.busy(1));
        assertEquals(409, post("a").join().statusCode());
        assertEquals(429, get(CONFIG_MAPS).statusCode());
        assertEquals(1, disturbances.left());
        assertEquals(500, post("a").join().statusCode());
        assertEquals(201, post("a").join().statusCode());
    }

    @Test
    void aLateRequestHasItsEffectWhenItsGateOpens() throws Exception {
        Gate gate = new Gate();
        disturbances.next(DisturbancesIT::isPost, new Disturbance.Late(gate));
        CompletableFuture<HttpResponse<String>> answer = post("a");
        gate.awaitHeldUp();
        assertFalse(isThere("a"));
        assertEquals(201, gate.open().code());
        assertTrue(isThere("a"));
        assertEquals(201, answer.join().statusCode());
    }

    @Test
    void aSlowAnswerIsOfARequestThatHadItsEffect() throws Exception {
        Gate gate = new Gate();
        disturbances.next(DisturbancesIT::isPost, new Disturbance.Slow(gate));
        CompletableFuture<HttpResponse<String>> answer = post("a");
        gate.awaitHeldUp();
        assertTrue(isThere("a"));
        assertFalse(answer.isDone());
        gate.open();
        assertEquals(201, answer.join().statusCode());
    }

    @Test
    void nothingIsHeardOfAnUnansweredRequestUntilTheServerStops() throws Exception {
        Gate neverOpened = new Gate();
        disturbances.next(DisturbancesIT::isPost, new Disturbance.Slow(neverOpened));
        CompletableFuture<HttpResponse<String>> answer = post("a");
        neverOpened.awaitHeldUp();
        assertFalse(answer.isDone());
        server.close();
        assertThrows(ExecutionException.class, answer::get);
    }

    @Test
    void aLostRequestHasNoEffectAndALostAnswerIsOfOneThatHadIt() {
        disturbances.next(
                DisturbancesIT::isPost, new Disturbance.Lost(), new Disturbance.AnswerLost());
        assertThrows(ExecutionException.class, () -> post("a").get());
        assertFalse(isThere("a"));
        assertThrows(ExecutionException.class, () -> post("b").get());
        assertTrue(isThere("b"));
    }

    @Test
    void anExpiredWatchEndsWithOneErrorOfItsVersion() throws Exception {
        disturbances.next(ApiRequest::isWatch, new Disturbance.Expired());
        HttpResponse<String> answer = get(CONFIG_MAPS + "?watch=true&resourceVersion=5");
        assertEquals(200, answer.statusCode());
        ObjectNode event = Json.parseObject(answer.body());
        assertEquals("ERROR", Json.text(event, "type"));
        assertEquals(410, Json.number(0, event, "object", "code"));
        assertEquals("Expired", Json.text(event, "object", "reason"));
    }

    @Test
    void anOldListKnowsNothingOfWhatCameLaterAndAWatchFromItTellsThat() throws Exception {
        post("a").join();
        String old =
                Json.text(Json.parseObject(get(CONFIG_MAPS).body()), "metadata", "resourceVersion");
        post("b").join();
        server.handle(ApiRequest.delete(CONFIG_MAPS + "/a", Json.newObject()));
        disturbances.next(DisturbancesIT::isList, new Disturbance.AsOf(old));
        HttpResponse<String> list = get(CONFIG_MAPS + "?resourceVersion=0");
        assertEquals(List.of("a"), names(list));
        assertEquals(old, Json.text(Json.parseObject(list.body()), "metadata", "resourceVersion"));
        HttpResponse<String> watch =
                get(CONFIG_MAPS + "?watch=true&timeoutSeconds=1&resourceVersion=" + old);
        assertEquals(
                List.of("ADDED b", "DELETED a"),
                watch.body()
                        .lines()
                        .map(Json::parseObject)
                        .map(event -> Json.text(event, "type") + " "
                                + Json.text(event, "object", "metadata", "name"))
                        .toList());
        assertEquals(List.of("b"), names(get(CONFIG_MAPS + "?resourceVersion=0")));
    }
}
