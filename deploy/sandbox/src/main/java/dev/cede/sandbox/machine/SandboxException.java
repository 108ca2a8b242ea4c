package dev.cede.sandbox.machine;

/** The sandbox could not be built; the message is a sentence for the one who started it. */
public final class SandboxException extends RuntimeException {
    SandboxException(String message) {
        super(message);
    }

    SandboxException(String message, Throwable cause) {
        super(message, cause);
    }
}
