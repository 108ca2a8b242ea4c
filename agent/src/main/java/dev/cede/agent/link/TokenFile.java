package dev.cede.agent.link;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.SecurityLevel;
import io.grpc.Status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** The token in a file, which kubelet writes anew before the old one expires. */
final class TokenFile extends CallCredentials {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Path file;

    TokenFile(Path file) {
        this.file = file;
    }

    @Override
    public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier to) {
        executor.execute(() -> apply(request, to));
    }

    private void apply(RequestInfo request, MetadataApplier to) {
        if (request.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY) {
            to.fail(Status.UNAUTHENTICATED.withDescription("a token is not sent in plain text"));
            return;
        }
        try {
            Metadata headers = new Metadata();
            headers.put(AUTHORIZATION, "Bearer " + Files.readString(file).strip());
            to.apply(headers);
        } catch (IOException e) {
            to.fail(Status.UNAVAILABLE.withDescription("token_file cannot be read: " + e));
        }
    }
}
