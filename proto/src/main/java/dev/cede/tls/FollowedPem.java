package dev.cede.tls;

/** Files that are followed until it is closed. */
public sealed interface FollowedPem extends AutoCloseable permits OwnCertificate, Trust {
    @Override
    void close();
}
