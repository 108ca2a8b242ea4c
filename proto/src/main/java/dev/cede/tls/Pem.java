package dev.cede.tls;

import dev.cede.tls.FollowedFiles.Unusable;

import io.grpc.util.CertificateUtils;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

/** Certificates as text. */
final class Pem {
    private Pem() {}

    /** At least one. */
    static X509Certificate[] certificates(ConfiguredFile file, byte[] pem) throws Unusable {
        X509Certificate[] read;
        try {
            read = CertificateUtils.getX509Certificates(new ByteArrayInputStream(pem));
        } catch (CertificateException e) {
            throw new Unusable(file, e);
        }
        if (read.length == 0) {
            throw new Unusable(file, "it holds none");
        }
        return read;
    }
}
