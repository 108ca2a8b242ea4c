package dev.cede.tls;

import java.nio.file.Path;

/**
 * A file, and the option that names it in the configuration.
 *
 * @param accepts what it has to hold, for a sentence to the operator
 */
public record ConfiguredFile(String option, Path path, String accepts) {
    public static ConfiguredFile certificates(String option, Path path) {
        return new ConfiguredFile(option, path, "a PEM file with certificates");
    }

    public static ConfiguredFile key(String option, Path path) {
        return new ConfiguredFile(option, path, "a PEM file with an unencrypted PKCS#8 key");
    }
}
