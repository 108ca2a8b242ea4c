package dev.cede.tls;

import dev.cede.config.SettingsException;
import dev.cede.tls.FollowedFiles.Unusable;

import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.CertificateUtils;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.X509ExtendedKeyManager;

/** What we show to the other side: a certificate chain and its key, exchanged without restart. */
public final class OwnCertificate implements FollowedPem {
    private final ConfiguredFile certificate;
    private final ConfiguredFile key;
    private final AdvancedTlsX509KeyManager manager = new AdvancedTlsX509KeyManager();
    private final FollowedFiles files;

    private OwnCertificate(ConfiguredFile certificate, ConfiguredFile key) {
        this.certificate = certificate;
        this.key = key;
        this.files = FollowedFiles.start(List.of(certificate, key), this::take);
    }

    /** Throws {@link SettingsException} where the files cannot be used now. */
    public static OwnCertificate follow(ConfiguredFile certificate, ConfiguredFile key) {
        return new OwnCertificate(certificate, key);
    }

    public X509ExtendedKeyManager manager() {
        return manager;
    }

    private void take(List<byte[]> contents) throws Unusable {
        X509Certificate[] chain = Pem.certificates(certificate, contents.get(0));
        PrivateKey secret = secret(contents.get(1));
        requirePair(chain[0], secret);
        manager.updateIdentityCredentials(chain, secret);
    }

    private PrivateKey secret(byte[] pem) throws Unusable {
        try {
            return CertificateUtils.getPrivateKey(new ByteArrayInputStream(pem));
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            // Its words could be bytes of the key.
            throw new Unusable(key, "it is not one (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** Of two files that are exchanged one after the other, one may be older. */
    private void requirePair(X509Certificate first, PrivateKey secret) throws Unusable {
        byte[] probe = "probe".getBytes(StandardCharsets.US_ASCII);
        boolean pair;
        try {
            String algorithm =
                    secret.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(secret);
            signing.update(probe);
            Signature checking = Signature.getInstance(algorithm);
            checking.initVerify(first);
            checking.update(probe);
            pair = checking.verify(signing.sign());
        } catch (GeneralSecurityException e) {
            pair = false;
        }
        if (!pair) {
            throw new Unusable(
                    key, "it does not belong to the certificate in " + certificate.path());
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
