package dev.cede.agent.link;

import dev.cede.config.Loopback;
import dev.cede.config.Settings;
import dev.cede.config.SettingsException;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** How the link is protected, and what shows the coordinator which node this is. */
public sealed interface LinkSecurity {
    /** By nothing: on this machine only, and only where it is asked for. */
    record PlainText() implements LinkSecurity {}

    /**
     * By TLS.
     *
     * @param authorities PEM, of the coordinators' certificates
     * @param name that those certificates have; empty: the host that is dialled
     */
    record Tls(Path authorities, Optional<String> name, Identity identity)
            implements LinkSecurity {}

    /** What we show. */
    sealed interface Identity {}

    /** A projected service-account token, read anew for each stream. */
    record Token(Path file) implements Identity {}

    /** A certificate with the common name {@code cede-agent:NODE}, and its key; PEM. */
    record Certificate(Path chain, Path key) implements Identity {}

    static LinkSecurity read(Settings settings, List<String> coordinators) {
        boolean insecure = settings.flag("insecure", false);
        Optional<String> authorities = settings.text("coordinator_ca");
        if (insecure) {
            return plainText(coordinators, authorities.isPresent());
        }
        if (authorities.isEmpty()) {
            throw new SettingsException("coordinator_ca is missing; it takes a PEM file with the"
                    + " authorities of the coordinators' certificates. Plain text takes insecure:"
                    + " true and loopback addresses in coordinators");
        }
        return new Tls(
                Path.of(authorities.get()), settings.text("coordinator_name"), identity(settings));
    }

    private static LinkSecurity plainText(List<String> coordinators, boolean withFile) {
        if (withFile) {
            throw new SettingsException(
                    "insecure is true together with coordinator_ca; it takes false with it");
        }
        for (String address : coordinators) {
            if (!Loopback.isAddress(address)) {
                throw new SettingsException("coordinators has " + address + "; with insecure: true"
                        + " it takes loopback addresses such as 127.0.0.1:7070, any other needs"
                        + " coordinator_ca");
            }
        }
        return new PlainText();
    }

    private static Identity identity(Settings settings) {
        Optional<String> token = settings.text("token_file");
        Optional<String> chain = settings.text("certificate");
        Optional<String> key = settings.text("key");
        if (token.isPresent() && chain.isEmpty() && key.isEmpty()) {
            return new Token(Path.of(token.get()));
        }
        if (token.isEmpty() && chain.isPresent() && key.isPresent()) {
            return new Certificate(Path.of(chain.get()), Path.of(key.get()));
        }
        throw new SettingsException("the agent's identity is not clear; it takes either token_file,"
                + " or certificate together with key");
    }
}
