package dev.cede.coordinator.identity;

import io.grpc.Status;
import io.grpc.Status.Code;

/**
 * Why an agent was not let in.
 *
 * @param detail a sentence for both sides, without secrets
 */
public record Refused(Reason reason, String detail) {
    /** Few, so that they can be counted one by one. */
    public enum Reason {
        NO_TOKEN(Code.UNAUTHENTICATED),
        /** Forged, expired, or of a pod that is gone: the API server does not tell them apart. */
        INVALID_TOKEN(Code.UNAUTHENTICATED),
        OTHER_AUDIENCE(Code.UNAUTHENTICATED),
        OTHER_ACCOUNT(Code.PERMISSION_DENIED),
        NO_NODE(Code.PERMISSION_DENIED),
        NO_CERTIFICATE(Code.UNAUTHENTICATED),
        /** Its connection is refused by TLS, before there is a call. */
        UNTRUSTED_CERTIFICATE(Code.UNAUTHENTICATED),
        STALE_CERTIFICATE(Code.UNAUTHENTICATED),
        OTHER_NODE(Code.PERMISSION_DENIED);

        private final Code code;

        Reason(Code code) {
            this.code = code;
        }
    }

    Status status() {
        return reason.code.toStatus().withDescription(detail);
    }
}
