package dev.cede.model;

/** The state of a share that kubelet gave out (B6); before that it stands in a {@link Reservation}. */
public enum ShareState {
    ALLOCATED,
    /** Its pod is leaving or over, and its memory is not yet measured free (E9). */
    RELEASING
}
