package dev.cede.testbed.apiserver;

import java.util.Map;

/** What happens, on purpose, to one request. */
public sealed interface Disturbance {

    /** It is answered with an error and has no effect. */
    record Refused(ApiReply reply) implements Disturbance {}

    /** It is on its way until the gate opens, and has its effect only then. */
    record Late(Gate gate) implements Disturbance {}

    /** It has its effect; the answer is on its way until the gate opens. */
    record Slow(Gate gate) implements Disturbance {}

    /** The connection is closed; it has no effect. */
    record Lost() implements Disturbance {}

    /** The connection is closed after it had its effect. */
    record AnswerLost() implements Disturbance {}

    /** A watch that is told that its version is too old. */
    record Expired() implements Disturbance {}

    /** A list that is answered from a cache which has heard of nothing after a version. */
    record AsOf(String resourceVersion) implements Disturbance {}

    /** As if somebody else had written in between. */
    static Disturbance conflict() {
        return refused(Refusal.onPurpose(409, "Conflict"));
    }

    /** The server is busy and says for how many seconds it wants to be left alone. */
    static Disturbance busy(int retryAfterSeconds) {
        ApiReply reply = Refusal.onPurpose(429, "TooManyRequests").reply();
        return new Refused(new ApiReply(
                reply.code(),
                reply.body(),
                Map.of("Retry-After", Integer.toString(retryAfterSeconds))));
    }

    static Disturbance internalError() {
        return refused(Refusal.internalError("on purpose"));
    }

    /** Nothing is heard of it until the server stops, but it had its effect. */
    static Disturbance unanswered() {
        return new Slow(new Gate());
    }

    private static Disturbance refused(Refusal refusal) {
        return new Refused(refusal.reply());
    }
}
