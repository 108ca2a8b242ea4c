package dev.cede.coordinator.loop;

/**
 * A call to the API server that did not succeed.
 *
 * @param status HTTP status; 0 when there was no answer, so that the call may have succeeded
 */
public record ApiFailure(int status, String message) {
    public boolean unanswered() {
        return status == 0;
    }

    /** Whether the server may have carried the call out, or may yet. */
    public boolean mayArrive() {
        return unanswered() || status >= 500;
    }

    public boolean conflict() {
        return status == 409;
    }

    public boolean notFound() {
        return status == 404;
    }
}
