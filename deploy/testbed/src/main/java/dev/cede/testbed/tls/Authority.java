package dev.cede.testbed.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

import javax.security.auth.x500.X500Principal;

/**
 * A certificate authority (RFC 5280) that lives as long as this object; what it signs goes to PEM
 * files. Certificates are valid for a week.
 */
public final class Authority {
    private static final Duration VALID = Duration.ofDays(7);

    /** ecdsa-with-SHA256. */
    private static final byte[] ALGORITHM =
            Der.sequence(Der.identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

    private static final int VERSION_3 = 2;
    private static final int SERIAL_BITS = 63;
    private static final int ADDRESS = 0x87;
    private static final int EXPLICIT = 0xa0;

    private final X500Principal name;
    private final KeyPair keys;
    private final byte[] own;

    private Authority(X500Principal name) throws GeneralSecurityException {
        this.name = name;
        this.keys = newKeys();
        byte[] isAuthority = extension(0x13, Der.sequence(Der.yes()));
        this.own = signed(name, keys, Instant.now().plus(VALID), isAuthority);
    }

    public static Authority create(String name) {
        try {
            return new Authority(new X500Principal("CN=" + name));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot make the authority " + name, e);
        }
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /** Its own certificate, for those who are to believe it. */
    public void writeTo(Path file) {
        write(file, pem("CERTIFICATE", own));
    }

    /** A certificate of a server on 127.0.0.1. */
    public void issueServer(Path certificate, Path key) {
        byte[] address = InetAddress.getLoopbackAddress().getAddress();
        byte[] names = extension(0x11, Der.sequence(Der.tagged(ADDRESS, address)));
        issue("server", Instant.now().plus(VALID), names, new Target(certificate, key));
    }

    /** A certificate of a client whose common name this is. */
    public void issueClient(String commonName, Path certificate, Path key) {
        issue(commonName, Instant.now().plus(VALID), none(), new Target(certificate, key));
    }

    /** The same, but it has expired. */
    public void issueStaleClient(String commonName, Path certificate, Path key) {
        Instant past = Instant.now().minus(Duration.ofHours(1));
        issue(commonName, past, none(), new Target(certificate, key));
    }

    private record Target(Path certificate, Path key) {}

    private static byte[] none() {
        return new byte[0];
    }

    private void issue(String commonName, Instant until, byte[] extensions, Target to) {
        try {
            KeyPair fresh = newKeys();
            X500Principal subject = new X500Principal("CN=" + commonName);
            byte[] certificate = signed(subject, fresh, until, extensions);
            write(to.key(), pem("PRIVATE KEY", fresh.getPrivate().getEncoded()));
            write(to.certificate(), pem("CERTIFICATE", certificate));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign for " + commonName, e);
        }
    }

    private byte[] signed(X500Principal subject, KeyPair of, Instant until, byte[] extensions)
            throws GeneralSecurityException {
        byte[] body = Der.sequence(
                Der.tagged(EXPLICIT, Der.integer(BigInteger.valueOf(VERSION_3))),
                Der.integer(new BigInteger(SERIAL_BITS, new SecureRandom())),
                ALGORITHM,
                name.getEncoded(),
                Der.sequence(Der.time(until.minus(VALID.multipliedBy(2))), Der.time(until)),
                subject.getEncoded(),
                of.getPublic().getEncoded(),
                extensions.length == 0
                        ? extensions
                        : Der.tagged(EXPLICIT | 3, Der.sequence(extensions)));
        return Der.sequence(body, ALGORITHM, Der.bitString(signature(body, keys.getPrivate())));
    }

    private static byte[] signature(byte[] body, PrivateKey key) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(body);
        return signature.sign();
    }

    /** One of those below 2.5.29, critical. */
    private static byte[] extension(int number, byte[] value) {
        return Der.sequence(Der.identifier(0x55, 0x1d, number), Der.yes(), Der.octets(value));
    }

    private static String pem(String what, byte[] bytes) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what);
    }

    /** At once, so that no reader sees half of it. */
    private static void write(Path file, String text) {
        try {
            Path draft = Files.writeString(
                    file.resolveSibling("." + file.getFileName()), text, StandardCharsets.US_ASCII);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write " + file, e);
        }
    }
}
