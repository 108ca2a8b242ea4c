package dev.cede.testbed.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The few forms of DER (X.690) that a certificate is written in. */
final class Der {
    private static final int SEQUENCE = 0x30;
    private static final int SHORT_LENGTH = 0x80;
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] tagged(int tag, byte[]... parts) {
        byte[] content = joined(parts);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length >= SHORT_LENGTH) {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int zero = length[0] == 0 ? 1 : 0;
            out.write(SHORT_LENGTH | (length.length - zero));
            out.write(length, zero, length.length - zero);
        } else {
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    static byte[] sequence(byte[]... parts) {
        return tagged(SEQUENCE, parts);
    }

    static byte[] integer(BigInteger value) {
        return tagged(0x02, value.toByteArray());
    }

    static byte[] bitString(byte[] bytes) {
        return tagged(0x03, new byte[] {0}, bytes);
    }

    static byte[] octets(byte[] bytes) {
        return tagged(0x04, bytes);
    }

    /** An object identifier in its encoded bytes. */
    static byte[] identifier(int... bytes) {
        byte[] content = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            content[i] = (byte) bytes[i];
        }
        return tagged(0x06, content);
    }

    static byte[] yes() {
        return tagged(0x01, new byte[] {(byte) 0xff});
    }

    static byte[] time(Instant time) {
        return tagged(0x17, UTC_TIME.format(time).getBytes(StandardCharsets.US_ASCII));
    }
}
