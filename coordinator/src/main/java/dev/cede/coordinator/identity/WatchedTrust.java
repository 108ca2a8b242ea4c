package dev.cede.coordinator.identity;

import dev.cede.coordinator.identity.Refused.Reason;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Counts clients whose certificate is not believed: their calls never reach a service. */
public final class WatchedTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager trust;
    private final Refusals refusals;

    public WatchedTrust(X509ExtendedTrustManager trust, Refusals refusals) {
        this.trust = trust;
        this.refusals = refusals;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private void counted(X509Certificate[] chain, Check check) throws CertificateException {
        try {
            check.run();
        } catch (CertificateException e) {
            String subject = chain[0].getSubjectX500Principal().getName();
            refusals.add(
                    subject,
                    new Refused(
                            Reason.UNTRUSTED_CERTIFICATE,
                            "the certificate of " + subject + " is not believed: "
                                    + e.getMessage()));
            throw e;
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        counted(chain, () -> trust.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        counted(chain, () -> trust.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        counted(chain, () -> trust.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        trust.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        trust.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        trust.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
