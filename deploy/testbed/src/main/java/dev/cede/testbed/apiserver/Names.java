package dev.cede.testbed.apiserver;

import java.util.SplittableRandom;
import java.util.UUID;

/** UIDs and the random ends of generated names, all drawn from one seed. */
final class Names {

    /** No vowels and no look-alikes, as in names that a real server generates. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int SUFFIX_LENGTH = 5;

    /** RFC 9562: four bits of version (random), two bits of variant. */
    private static final long VERSION_MASK = 0xFFFF_FFFF_FFFF_0FFFL;

    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT_MASK = 0x3FFF_FFFF_FFFF_FFFFL;
    private static final long VARIANT_RFC = 0x8000_0000_0000_0000L;

    private final SplittableRandom random;

    Names(long seed) {
        random = new SplittableRandom(seed);
    }

    String uid() {
        long high = (random.nextLong() & VERSION_MASK) | VERSION_4;
        long low = (random.nextLong() & VARIANT_MASK) | VARIANT_RFC;
        return new UUID(high, low).toString();
    }

    String suffix() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    /** The hash of a pod template in the alphabet of names. */
    static String hashOf(String text) {
        int hash = 0x811C_9DC5; // FNV-1a, 32 bits: offset basis, then the prime below
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x0100_0193;
        }
        StringBuilder name = new StringBuilder();
        for (char digit : Integer.toUnsignedString(hash).toCharArray()) {
            name.append(ALPHABET.charAt(digit % ALPHABET.length()));
        }
        return name.toString();
    }
}
