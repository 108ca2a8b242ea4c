package dev.cede.sandbox.scenario;

/** A scenario that cannot be read; the message names the file, the place in it, and what it takes. */
public final class ScenarioException extends RuntimeException {
    public ScenarioException(String message) {
        super(message);
    }
}
