package dev.cede.testbed.kubelet.sockets;

import io.grpc.Status;

/** Errors of calls in the words in which a Go program prints them, as pods' messages show them. */
final class GoErrors {
    private GoErrors() {}

    static String text(Throwable error) {
        Status status = Status.fromThrowable(error);
        String description = status.getDescription();
        if (description == null) {
            description = status.getCause() == null ? "" : String.valueOf(status.getCause());
        }
        return "rpc error: code = %s desc = %s".formatted(name(status.getCode()), description);
    }

    private static String name(Status.Code code) {
        return switch (code) {
            case OK -> "OK";
            case CANCELLED -> "Canceled";
            case UNKNOWN -> "Unknown";
            case INVALID_ARGUMENT -> "InvalidArgument";
            case DEADLINE_EXCEEDED -> "DeadlineExceeded";
            case NOT_FOUND -> "NotFound";
            case ALREADY_EXISTS -> "AlreadyExists";
            case PERMISSION_DENIED -> "PermissionDenied";
            case RESOURCE_EXHAUSTED -> "ResourceExhausted";
            case FAILED_PRECONDITION -> "FailedPrecondition";
            case ABORTED -> "Aborted";
            case OUT_OF_RANGE -> "OutOfRange";
            case UNIMPLEMENTED -> "Unimplemented";
            case INTERNAL -> "Internal";
            case UNAVAILABLE -> "Unavailable";
            case DATA_LOSS -> "DataLoss";
            case UNAUTHENTICATED -> "Unauthenticated";
        };
    }
}
