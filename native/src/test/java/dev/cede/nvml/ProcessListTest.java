package dev.cede.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.nvml.GpuProcess.Kind;
import dev.cede.nvml.ProcessEntries.Entry;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class ProcessListTest {
    private static Entry entry(int pid, long bytes) {
        return new Entry(pid, OptionalLong.of(bytes));
    }

    private static Entry unknown(int pid) {
        return new Entry(pid, OptionalLong.empty());
    }

    private static GpuProcess process(int pid, long bytes, Kind kind) {
        return new GpuProcess(pid, OptionalLong.of(bytes), kind);
    }

    @Test
    void aProcessOfBothListsIsCountedOnce() {
        assertEquals(
                List.of(
                        process(1, 10, Kind.COMPUTE_AND_GRAPHICS),
                        process(2, 5, Kind.COMPUTE),
                        process(3, 7, Kind.GRAPHICS)),
                ProcessList.of(
                        List.of(entry(2, 5), entry(1, 10)), List.of(entry(3, 7), entry(1, 10))));
    }

    @Test
    void theKnownFigureOfTwoListsIsTaken() {
        GpuProcess both = process(1, 10, Kind.COMPUTE_AND_GRAPHICS);
        assertEquals(List.of(both), ProcessList.of(List.of(unknown(1)), List.of(entry(1, 10))));
        assertEquals(List.of(both), ProcessList.of(List.of(entry(1, 10)), List.of(unknown(1))));
    }

    @Test
    void partsOfASplitCardAreSummedUnlessOneIsUnknown() {
        assertEquals(
                List.of(process(1, 30, Kind.COMPUTE)),
                ProcessList.of(List.of(entry(1, 10), entry(1, 20)), List.of()));
        assertEquals(
                List.of(new GpuProcess(1, OptionalLong.empty(), Kind.COMPUTE)),
                ProcessList.of(List.of(entry(1, 10), unknown(1)), List.of()));
    }
}
