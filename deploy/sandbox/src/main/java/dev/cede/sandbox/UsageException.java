package dev.cede.sandbox;

/** The command line asks for something that does not exist; the message is one whole sentence. */
final class UsageException extends RuntimeException {
    UsageException(String message) {
        super(message);
    }
}
