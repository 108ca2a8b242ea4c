package dev.cede.sandbox.kubernetes;

/** The sandbox could not be built; the message is a sentence for the one who started it. */
public final class SandboxException extends RuntimeException {
    public SandboxException(String message) {
        super(message);
    }

    public SandboxException(String message, Throwable cause) {
        super(message, cause);
    }
}
