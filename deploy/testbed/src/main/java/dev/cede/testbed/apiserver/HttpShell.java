package dev.cede.testbed.apiserver;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Turns exchanges of the JDK's server into requests and replies into bytes. */
final class HttpShell implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(HttpShell.class);

    private static final int OK = 200;

    /** Length that makes the JDK's server send chunks. */
    private static final long CHUNKED = 0;

    /** No body at all. */
    private static final long EMPTY = -1;

    /** A watch for which the client names no time. */
    private static final long LONGEST_WATCH_SECONDS = 1800;

    private final SharedCore core;
    private volatile RequestFilter filter = RequestFilter.NONE;

    HttpShell(SharedCore core) {
        this.core = core;
    }

    void setFilter(RequestFilter next) {
        filter = next;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        // Closing an exchange that was not answered closes its connection.
        try (exchange) {
            answer(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(HttpExchange exchange) throws IOException, InterruptedException {
        if (refusesUpgrade(exchange) || answersPlainly(exchange)) {
            return;
        }
        ApiRequest request = read(exchange);
        Optional<ApiReply> instead = filter.answerInstead(request);
        if (instead.isPresent()) {
            send(exchange, instead.get());
            return;
        }
        Optional<SharedCore.OpenWatch> watch;
        try {
            watch = core.watch(request);
        } catch (Refusal refusal) {
            send(exchange, refusal.reply());
            return;
        }
        if (watch.isPresent()) {
            stream(exchange, request, watch.get());
        } else {
            send(exchange, handled(request));
        }
    }

    /** A bug in the core is told to the client, not only to the log. */
    private ApiReply handled(ApiRequest request) {
        try {
            return core.handle(request);
        } catch (RuntimeException e) {
            LOG.error("request failed method={} path={}", request.method(), request.path(), e);
            return Refusal.internalError(e.toString()).reply();
        }
    }

    /**
     * Watches come over plain HTTP only. Clients that ask for a WebSocket first fall back when the
     * answer is a plain 200, as from a proxy that knows no upgrade; after an error they would retry.
     */
    private static boolean refusesUpgrade(HttpExchange exchange) throws IOException {
        String upgrade = exchange.getRequestHeaders().getFirst("Upgrade");
        if (upgrade == null || !upgrade.equalsIgnoreCase("websocket")) {
            return false;
        }
        sendBytes(exchange, OK, "text/plain", new byte[0]);
        return true;
    }

    private static boolean answersPlainly(HttpExchange exchange) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            // An empty schema is one that no object can violate.
            case "/openapi/v2" -> sendBytes(exchange, OK, "application/octet-stream", new byte[0]);
            case "/healthz", "/livez", "/readyz" ->
                sendBytes(exchange, OK, "text/plain", "ok".getBytes(StandardCharsets.UTF_8));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static ApiRequest read(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        byte[] body = exchange.getRequestBody().readAllBytes();
        String contentType = headers.getFirst("Content-Type");
        String accept = headers.getFirst("Accept");
        return new ApiRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                ApiRequest.parseQuery(exchange.getRequestURI().getRawQuery()),
                contentType == null ? "" : withoutParameters(contentType),
                accept == null ? "" : accept,
                new String(body, StandardCharsets.UTF_8));
    }

    private static String withoutParameters(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).strip();
    }

    private static void send(HttpExchange exchange, ApiReply reply) throws IOException {
        reply.headers().forEach(exchange.getResponseHeaders()::set);
        sendBytes(exchange, reply.code(), ApiRequest.JSON, Json.bytes(reply.body()));
    }

    private static void sendBytes(HttpExchange exchange, int code, String type, byte[] body)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, body.length == 0 ? EMPTY : body.length);
        if (body.length > 0) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    private void stream(HttpExchange exchange, ApiRequest request, SharedCore.OpenWatch watch)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(watchSeconds(request));
        exchange.getResponseHeaders().set("Content-Type", ApiRequest.JSON);
        exchange.sendResponseHeaders(OK, CHUNKED);
        try (OutputStream out = exchange.getResponseBody()) {
            out.flush();
            while (!watch.isOver()) {
                long left = end - System.nanoTime();
                List<ObjectNode> events = watch.await(Math.min(left, SharedCore.BOOKMARK_NANOS));
                if (events.isEmpty()) {
                    events = watch.bookmark().map(List::of).orElse(List.of());
                }
                for (ObjectNode event : events) {
                    out.write(Json.bytes(event));
                    out.write('\n');
                }
                out.flush();
                if (left <= 0) {
                    return;
                }
            }
        }
    }

    private static long watchSeconds(ApiRequest request) {
        String asked = request.queryValue("timeoutSeconds");
        try {
            return asked.isEmpty() || asked.equals("0")
                    ? LONGEST_WATCH_SECONDS
                    : Long.parseLong(asked);
        } catch (NumberFormatException e) {
            return LONGEST_WATCH_SECONDS;
        }
    }
}
