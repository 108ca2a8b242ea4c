package dev.cede.nvml;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The driver's array of processes. Entries have been 16, 24 and 32 bytes wide, and not every driver
 * kept to the width that the name of its function stands for. So the array is filled with a mark
 * before the call, and how far the mark was overwritten tells the width. Every form begins with the
 * PID (4 bytes, 4 unused) and the used bytes (8).
 */
final class ProcessEntries {
    static final int WIDEST = 32;
    static final byte MARK = (byte) 0xA5;

    private static final int[] WIDTHS = {16, 24, WIDEST};
    private static final long NOT_AVAILABLE = -1L;

    private ProcessEntries() {}

    /**
     * One entry.
     *
     * @param usedBytes empty where the driver has no figure
     */
    record Entry(int pid, OptionalLong usedBytes) {}

    /**
     * Reads the entries.
     *
     * @param array as the driver left it, of the machine's byte order
     * @throws IllegalArgumentException where no known width fits
     */
    static List<Entry> decode(ByteBuffer array, int count) {
        int width = width(array, count);
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(array.getInt(i * width), used(array.getLong(i * width + 8))));
        }
        return entries;
    }

    private static int width(ByteBuffer array, int count) {
        int written = written(array);
        for (int width : WIDTHS) {
            if (written <= count * width) {
                return width;
            }
        }
        throw new IllegalArgumentException(written + " bytes for " + count + " processes");
    }

    private static int written(ByteBuffer array) {
        int end = array.capacity();
        while (end > 0 && array.get(end - 1) == MARK) {
            end--;
        }
        return end;
    }

    private static OptionalLong used(long bytes) {
        return bytes == NOT_AVAILABLE ? OptionalLong.empty() : OptionalLong.of(bytes);
    }
}
