package dev.cede.testbed.apiserver;

import java.io.IOException;
import java.util.Optional;

/**
 * Stands between the sockets and the core, so that a test can make the server slow, failing or
 * silent. Called on the request's own thread, for several requests at once; it may block.
 */
@FunctionalInterface
public interface RequestFilter {

    /** Lets everything through. */
    RequestFilter NONE = request -> Optional.empty();

    /**
     * The answer to give without asking the core; empty to ask it.
     *
     * @throws IOException to close the connection before the request took effect
     */
    Optional<ApiReply> answerInstead(ApiRequest request) throws IOException;
}
