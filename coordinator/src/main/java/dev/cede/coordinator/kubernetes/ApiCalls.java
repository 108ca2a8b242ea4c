package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.loop.ApiFailure;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Single calls to the API server. A 429 is obeyed: the call waits as long as the server says and is
 * made again, so many times; any other answer is the caller's.
 */
final class ApiCalls {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int MOST_TRIES = 10;

    /** Where a 429 does not say how long to wait. */
    private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(1);

    /** The longest pause obeyed at once; a server that asks for more is asked again. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;
    private final String server;
    private final Duration timeout;

    ApiCalls(KubernetesClient client, Duration timeout) {
        this.http = client.getHttpClient();
        this.server = client.getMasterUrl().toString().replaceFirst("/+$", "");
        this.timeout = timeout;
    }

    /** A call; {@code body} is empty for a GET. */
    record Call(String method, String path, String contentType, String body) {
        static final String JSON_BODY = "application/json";

        /** Lists of a status, such as conditions, are merged by their key. */
        static final String STRATEGIC = "application/strategic-merge-patch+json";

        static Call get(String path) {
            return new Call("GET", path, "", "");
        }

        static Call post(String path, String body) {
            return new Call("POST", path, JSON_BODY, body);
        }

        static Call patch(String path, String body) {
            return new Call("PATCH", path, STRATEGIC, body);
        }

        /** Of a custom resource, whose lists have no keys. */
        static Call merge(String path, String body) {
            return new Call("PATCH", path, "application/merge-patch+json", body);
        }

        static Call delete(String path, String body) {
            return new Call("DELETE", path, JSON_BODY, body);
        }
    }

    /** The body of a successful answer. */
    String make(Call call) throws ApiCallException, InterruptedException {
        for (int tries = 1; ; tries++) {
            HttpResponse<String> answer = once(call);
            if (answer.isSuccessful()) {
                return answer.body();
            }
            if (answer.code() != TOO_MANY_REQUESTS || tries == MOST_TRIES) {
                throw new ApiCallException(new ApiFailure(answer.code(), message(answer)));
            }
            Thread.sleep(pause(answer.header("Retry-After")));
        }
    }

    private HttpResponse<String> once(Call call) throws ApiCallException, InterruptedException {
        HttpRequest.Builder request = http.newHttpRequestBuilder()
                .uri(server + call.path())
                .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (!call.body().isEmpty()) {
            request.method(call.method(), call.contentType(), call.body());
        }
        try {
            return http.sendAsync(request.build(), String.class)
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw unanswered(call, e.getCause().toString());
        } catch (TimeoutException e) {
            throw unanswered(call, "no answer within " + timeout.toSeconds() + " s");
        }
    }

    private static ApiCallException unanswered(Call call, String why) {
        return new ApiCallException(
                new ApiFailure(0, call.method() + " " + call.path() + ": " + why));
    }

    /** After a 429 with this header, or null if it had none. */
    static Duration pause(String seconds) {
        if (seconds == null || !seconds.matches("[0-9]{1,6}")) {
            return DEFAULT_PAUSE;
        }
        Duration asked = Duration.ofSeconds(Long.parseLong(seconds));
        return asked.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : asked;
    }

    /** The words of the server's Status object, else what it sent. */
    private static String message(HttpResponse<String> answer) {
        String body = answer.body() == null ? "" : answer.body();
        try {
            JsonNode status = JSON.readTree(body);
            JsonNode message = status == null ? null : status.get("message");
            return message == null ? body : message.asString();
        } catch (JacksonException e) {
            return body;
        }
    }
}
