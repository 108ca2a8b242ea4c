package dev.cede.testbed.apiserver;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What goes wrong next at a server, announced by a test. A request meets the first disturbance that
 * is left of the oldest announcement it matches; all others are answered as ever.
 */
public final class Disturbances implements RequestFilter {

    private static final int OK = 200;

    private final ApiServer server;
    private final List<Announced> announced = new ArrayList<>();

    private Disturbances(ApiServer server) {
        this.server = server;
    }

    private record Announced(Predicate<ApiRequest> which, Deque<Disturbance> left) {}

    /** None yet; from now on every request of the server is looked at. */
    public static Disturbances of(ApiServer server) {
        Disturbances disturbances = new Disturbances(server);
        server.setFilter(disturbances);
        return disturbances;
    }

    /** The next requests that match meet these, one each and in this order. */
    public synchronized void next(Predicate<ApiRequest> which, Disturbance... what) {
        announced.add(new Announced(which, new ArrayDeque<>(List.of(what))));
    }

    /** How many have not happened yet. */
    public synchronized int left() {
        return announced.stream().mapToInt(next -> next.left().size()).sum();
    }

    private synchronized Optional<Disturbance> take(ApiRequest request) {
        return announced.stream()
                .filter(next -> !next.left().isEmpty() && next.which().test(request))
                .findFirst()
                .map(next -> next.left().poll());
    }

    @Override
    public Optional<ApiReply> answerInstead(ApiRequest request) throws IOException {
        Optional<Disturbance> disturbance = take(request);
        return disturbance.isPresent()
                ? Optional.of(answer(request, disturbance.get()))
                : Optional.empty();
    }

    private ApiReply answer(ApiRequest request, Disturbance disturbance) throws IOException {
        return switch (disturbance) {
            case Disturbance.Refused refused -> refused.reply();
            case Disturbance.Late late -> {
                late.gate().hold();
                yield late.gate().passedWith(server.handle(request));
            }
            case Disturbance.Slow slow -> {
                ApiReply reply = server.handle(request);
                slow.gate().hold();
                yield slow.gate().passedWith(reply);
            }
            case Disturbance.Lost() -> throw new IOException("lost on purpose");
            case Disturbance.AnswerLost() -> {
                server.handle(request);
                throw new IOException("the answer is lost on purpose");
            }
            case Disturbance.Expired() -> expired();
            case Disturbance.AsOf old ->
                server.handle(request.withQuery(Map.of(
                        "resourceVersion",
                        old.resourceVersion(),
                        "resourceVersionMatch",
                        "Exact")));
        };
    }

    /** A watch is accepted before it is told so. */
    private static ApiReply expired() {
        return new ApiReply(
                OK, Watch.event("ERROR", Refusal.onPurpose(410, "Expired").status()));
    }
}
