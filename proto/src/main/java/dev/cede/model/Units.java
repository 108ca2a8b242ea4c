package dev.cede.model;

/** The unit of GPU memory: 128 MiB, as in the resource name {@link Resources#MEMORY}. */
public final class Units {
    /** Bytes in one unit. */
    public static final long BYTES = 128L << 20;

    /** MiB in one unit. */
    public static final int MIB = 128;

    /** The most units that one container may ask of one card (A1). */
    public static final int MAX_PER_CARD = 16384;

    private Units() {}

    /** Whole units in so many bytes; what is left over is not usable (B1). */
    public static int floor(long bytes) {
        return Math.toIntExact(bytes / BYTES);
    }

    /** Units that cover so many bytes, the last one perhaps in part. */
    public static int ceil(long bytes) {
        return Math.toIntExact(Math.ceilDiv(bytes, BYTES));
    }

    /** The size of so many units in MiB. */
    public static int toMib(int units) {
        return Math.multiplyExact(units, MIB);
    }
}
