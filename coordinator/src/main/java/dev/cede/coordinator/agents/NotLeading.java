package dev.cede.coordinator.agents;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** How a process that does not lead answers: UNAVAILABLE, and where the leader is. */
public final class NotLeading {
    /** Trailer with the leader's address, absent when it is not known. */
    public static final Metadata.Key<String> LEADER =
            Metadata.Key.of("cede-leader", Metadata.ASCII_STRING_MARSHALLER);

    private NotLeading() {}

    public static StatusRuntimeException answer(String leader) {
        Metadata trailers = new Metadata();
        if (!leader.isEmpty()) {
            trailers.put(LEADER, leader);
        }
        String where = leader.isEmpty() ? "the leader is not known" : "the leader is " + leader;
        return Status.UNAVAILABLE
                .withDescription("this coordinator does not lead; " + where)
                .asRuntimeException(trailers);
    }
}
