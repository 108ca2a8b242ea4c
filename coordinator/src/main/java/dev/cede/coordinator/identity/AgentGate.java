package dev.cede.coordinator.identity;

import dev.cede.coordinator.identity.Refused.Reason;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Asked once for each stream, when its agent says which node it is on. */
@FunctionalInterface
public interface AgentGate {
    /** May take as long as a call to the API server; throws what the agent is to be answered. */
    void admit(Caller caller, String node) throws StatusRuntimeException;

    /** Believes everybody: for plain text on this machine only. */
    AgentGate OPEN = (caller, node) -> {};

    /** A token is reviewed for each stream anew; nothing is kept of it. */
    static AgentGate tokens(AgentIdentity.Token wanted, TokenReviews reviews, Refusals refusals) {
        TokenGate gate = new TokenGate(wanted, reviews);
        return (caller, node) -> settle(caller, node, gate.judge(caller, node), refusals);
    }

    static AgentGate certificates(InstantSource clock, Refusals refusals) {
        return (caller, node) -> settle(
                caller,
                node,
                caller.certificate()
                        .map(shown -> Judgement.certificate(shown, clock.instant(), node))
                        .orElseGet(() -> Optional.of(new Refused(
                                Reason.NO_CERTIFICATE, "the call comes without a certificate"))),
                refusals);
    }

    private static void settle(
            Caller caller, String node, Optional<Refused> refused, Refusals refusals) {
        String peer = caller.host() + "/" + node;
        if (refused.isEmpty()) {
            refusals.forget(peer);
            return;
        }
        refusals.add(peer, refused.get());
        throw refused.get().status().asRuntimeException();
    }

    /** Asks the API server, for a few agents at once. */
    final class TokenGate {
        /** After a change of leaders all agents come at once. */
        private static final int AT_ONCE = 16;

        private static final long PATIENCE_SECONDS = 15;

        private final Semaphore turns = new Semaphore(AT_ONCE, true);
        private final AgentIdentity.Token wanted;
        private final TokenReviews reviews;

        private TokenGate(AgentIdentity.Token wanted, TokenReviews reviews) {
            this.wanted = wanted;
            this.reviews = reviews;
        }

        private Optional<Refused> judge(Caller caller, String node) {
            if (caller.token().isEmpty()) {
                return Optional.of(
                        new Refused(Reason.NO_TOKEN, "the call comes without a bearer token"));
            }
            return Judgement.token(inTurn(caller.token().get()), wanted, node);
        }

        private TokenReviews.Answer inTurn(String token) {
            try {
                if (!turns.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw unavailable("too many tokens wait for their review");
                }
                try {
                    return reviews.review(token, wanted.audience());
                } finally {
                    turns.release();
                }
            } catch (TokenReviews.Unavailable e) {
                throw unavailable("the token cannot be reviewed now: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unavailable("stopping");
            }
        }

        private static StatusRuntimeException unavailable(String why) {
            return Status.UNAVAILABLE.withDescription(why).asRuntimeException();
        }
    }
}
