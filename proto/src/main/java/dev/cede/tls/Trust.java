package dev.cede.tls;

import dev.cede.config.SettingsException;
import dev.cede.tls.FollowedFiles.Unusable;

import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.X509ExtendedTrustManager;

/** Whom we believe: the authorities in a file, exchanged without restart. */
public final class Trust implements FollowedPem {
    private final ConfiguredFile authorities;
    private final AdvancedTlsX509TrustManager manager;
    private final FollowedFiles files;

    private Trust(ConfiguredFile authorities, Verification verification) {
        this.authorities = authorities;
        try {
            this.manager = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(verification)
                    .build();
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
        this.files = FollowedFiles.start(List.of(authorities), this::take);
    }

    /**
     * Servers, which have to have the name that was dialled. Throws {@link SettingsException} where
     * the file cannot be used now.
     */
    public static Trust inServers(ConfiguredFile authorities) {
        return new Trust(authorities, Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION);
    }

    /** Clients, whose name is for the caller to judge. */
    public static Trust inClients(ConfiguredFile authorities) {
        return new Trust(authorities, Verification.CERTIFICATE_ONLY_VERIFICATION);
    }

    public X509ExtendedTrustManager manager() {
        return manager;
    }

    private void take(List<byte[]> contents) throws Unusable {
        X509Certificate[] read = Pem.certificates(authorities, contents.getFirst());
        try {
            manager.updateTrustCredentials(read);
        } catch (IOException | GeneralSecurityException e) {
            throw new Unusable(authorities, e);
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
