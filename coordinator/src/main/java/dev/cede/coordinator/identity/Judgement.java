package dev.cede.coordinator.identity;

import dev.cede.coordinator.identity.Refused.Reason;

import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;

import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** Who may attach as the agent of a node; empty if the one who asks may. */
final class Judgement {
    /** Where a TokenReview names the node that the token's pod is on. */
    static final String NODE_NAME = "authentication.kubernetes.io/node-name";

    /** Before the node's name, in a certificate's common name. */
    static final String COMMON_NAME = "cede-agent:";

    private Judgement() {}

    static Optional<Refused> token(
            TokenReviews.Answer answer, AgentIdentity.Token wanted, String node) {
        if (!answer.authenticated()) {
            return refused(Reason.INVALID_TOKEN, "the token is not valid: " + answer.error());
        }
        if (!answer.audiences().contains(wanted.audience())) {
            return refused(
                    Reason.OTHER_AUDIENCE,
                    "the token is for " + answer.audiences() + ", not for " + wanted.audience());
        }
        if (!answer.user().equals(wanted.user())) {
            return refused(
                    Reason.OTHER_ACCOUNT,
                    "the token is of " + answer.user() + "; agents are " + wanted.user());
        }
        List<String> nodes = answer.extra().getOrDefault(NODE_NAME, List.of());
        if (nodes.size() != 1) {
            return refused(
                    Reason.NO_NODE, "the token names no node; it has to be projected into a pod");
        }
        return sameNode("the token", nodes.getFirst(), node);
    }

    /** For a certificate that our authorities have signed. */
    static Optional<Refused> certificate(X509Certificate shown, Instant now, String node) {
        try {
            shown.checkValidity(Date.from(now));
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            return refused(Reason.STALE_CERTIFICATE, "the certificate is not valid now");
        }
        String name = commonName(shown);
        if (!name.startsWith(COMMON_NAME)) {
            return refused(
                    Reason.OTHER_ACCOUNT,
                    "the certificate's common name is " + name + "; it has to be " + COMMON_NAME
                            + "NODE");
        }
        return sameNode("the certificate", name.substring(COMMON_NAME.length()), node);
    }

    /** Empty if there is none, or several. */
    private static String commonName(X509Certificate certificate) {
        try {
            List<Rdn> names = new LdapName(certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(rdn -> rdn.size() == 1 && rdn.getType().equalsIgnoreCase("CN"))
                            .toList();
            return names.size() == 1 ? names.getFirst().getValue().toString() : "";
        } catch (InvalidNameException e) {
            return "";
        }
    }

    private static Optional<Refused> sameNode(String what, String own, String node) {
        return own.equals(node)
                ? Optional.empty()
                : refused(Reason.OTHER_NODE, what + " is of node " + own + ", not of " + node);
    }

    private static Optional<Refused> refused(Reason reason, String detail) {
        return Optional.of(new Refused(reason, detail));
    }
}
