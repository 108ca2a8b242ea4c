package dev.cede.model;

/** How a share is kept apart from the others on its card (A5). */
public enum IsolationType {
    MEMORY,
    MEMORY_AND_CORE;

    /** Whether shares of both types may be on one card at once (B2). */
    public boolean mayShareCardWith(IsolationType other) {
        return this == other;
    }
}
