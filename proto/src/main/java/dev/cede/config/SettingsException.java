package dev.cede.config;

/** A configuration that cannot be used; the message is one sentence for the operator. */
public final class SettingsException extends RuntimeException {
    public SettingsException(String sentence) {
        super(sentence);
    }
}
