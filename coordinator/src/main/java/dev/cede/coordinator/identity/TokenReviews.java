package dev.cede.coordinator.identity;

import java.util.List;
import java.util.Map;

/** The API server, asked what it thinks of a token. */
@FunctionalInterface
public interface TokenReviews {
    /** May take as long as a call to the API server. */
    Answer review(String token, String audience) throws Unavailable, InterruptedException;

    /**
     * What it says of one.
     *
     * @param error why the token is none, in the API server's words
     * @param extra what is known of the user beside its name
     */
    record Answer(
            boolean authenticated,
            String error,
            String user,
            List<String> audiences,
            Map<String, List<String>> extra) {}

    /** It does not answer, or not with a review. */
    final class Unavailable extends Exception {
        private static final long serialVersionUID = 1L;

        public Unavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
