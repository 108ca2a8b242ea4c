package dev.cede.testbed.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;

/** A certificate authority that lives as long as this object; what it signs goes to PEM files. */
public final class Authority {
    private static final Duration VALID = Duration.ofDays(7);

    private final X509Bundle own;

    private Authority(X509Bundle own) {
        this.own = own;
    }

    public static Authority create(String name) {
        try {
            return new Authority(builder("CN=" + name)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned());
        } catch (Exception e) {
            throw new IllegalStateException("cannot make the authority " + name, e);
        }
    }

    private static CertificateBuilder builder(String subject) {
        return new CertificateBuilder()
                .ecp256()
                .subject(subject)
                .notBefore(Instant.now().minus(VALID))
                .notAfter(Instant.now().plus(VALID));
    }

    /** Its own certificate, for those who are to believe it. */
    public void writeTo(Path file) {
        write(file, own.getCertificatePEM());
    }

    /** A certificate of a server on 127.0.0.1. */
    public void issueServer(Path certificate, Path key) {
        issue(builder("CN=server").addSanIpAddress("127.0.0.1"), certificate, key);
    }

    /** A certificate of a client whose common name this is. */
    public void issueClient(String commonName, Path certificate, Path key) {
        issue(builder("CN=" + commonName).addExtendedKeyUsageClientAuth(), certificate, key);
    }

    /** The same, but it has expired. */
    public void issueStaleClient(String commonName, Path certificate, Path key) {
        issue(
                builder("CN=" + commonName).notAfter(Instant.now().minus(Duration.ofHours(1))),
                certificate,
                key);
    }

    private void issue(CertificateBuilder builder, Path certificate, Path key) {
        try {
            X509Bundle issued = builder.buildIssuedBy(own);
            write(key, issued.getPrivateKeyPEM());
            write(certificate, issued.getCertificatePathPEM());
        } catch (Exception e) {
            throw new IllegalStateException("cannot sign " + certificate, e);
        }
    }

    /** At once, so that no reader sees half of it. */
    private static void write(Path file, String text) {
        try {
            Path draft = Files.writeString(file.resolveSibling("." + file.getFileName()), text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write " + file, e);
        }
    }
}
