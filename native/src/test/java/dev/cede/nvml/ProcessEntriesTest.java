package dev.cede.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.cede.nvml.ProcessEntries.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProcessEntriesTest {
    private static final int ROOM = 8;

    /** As a driver writes them: only the PID and the used bytes, and the end of the entry. */
    private static ByteBuffer written(int width, int count) {
        byte[] array = new byte[ROOM * ProcessEntries.WIDEST];
        Arrays.fill(array, ProcessEntries.MARK);
        ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.nativeOrder());
        for (int i = 0; i < count; i++) {
            buffer.putInt(i * width, 101 + i).putLong(i * width + 8, 10L * (i + 1));
            for (int at = 16; at < width; at += 4) {
                buffer.putInt(i * width + at, -1);
            }
        }
        return buffer;
    }

    private static List<Entry> expected(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Entry(101 + i, OptionalLong.of(10L * (i + 1))))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 24, 32})
    void everyWidthDecodesEqualWhateverTheNumberOfProcesses_B48(int width) {
        for (int count = 0; count <= ROOM; count++) {
            assertEquals(expected(count), ProcessEntries.decode(written(width, count), count));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 32})
    void aDriverThatLeavesTheEndOfTheLastEntryAloneIsReadAllTheSame(int width) {
        ByteBuffer array = written(width, 3);
        for (int at = 2 * width + 16; at < 3 * width; at++) {
            array.put(at, ProcessEntries.MARK);
        }
        assertEquals(expected(3), ProcessEntries.decode(array, 3));
    }

    @Test
    void anUnknownWidthIsAnErrorAndNoGuess() {
        assertThrows(
                IllegalArgumentException.class, () -> ProcessEntries.decode(written(40, 3), 3));
    }

    @Test
    void allOnesAreNoNumber_B38() {
        ByteBuffer array = written(24, 1);
        array.putLong(8, -1L);
        assertEquals(
                List.of(new Entry(101, OptionalLong.empty())), ProcessEntries.decode(array, 1));
    }
}
