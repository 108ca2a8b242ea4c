package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.loop.ApiFailure;

/** A call to the API server did not succeed. */
final class ApiCallException extends Exception {
    private final transient ApiFailure failure;

    ApiCallException(ApiFailure failure) {
        super(failure.status() + " " + failure.message());
        this.failure = failure;
    }

    ApiFailure failure() {
        return failure;
    }
}
