package dev.cede.nvml;

import dev.cede.nvml.GpuProcess.Kind;
import dev.cede.nvml.ProcessEntries.Entry;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Makes one list of the driver's two. A process that computes and draws is in both, each time with
 * all that it uses, so its memory is counted once.
 */
final class ProcessList {
    private ProcessList() {}

    static List<GpuProcess> of(List<Entry> compute, List<Entry> graphics) {
        Map<Integer, GpuProcess> byPid = new TreeMap<>();
        add(byPid, compute, Kind.COMPUTE);
        add(byPid, graphics, Kind.GRAPHICS);
        return List.copyOf(byPid.values());
    }

    private static void add(Map<Integer, GpuProcess> byPid, List<Entry> entries, Kind kind) {
        for (Entry entry : entries) {
            byPid.merge(
                    entry.pid(),
                    new GpuProcess(entry.pid(), entry.usedBytes(), kind),
                    ProcessList::together);
        }
    }

    private static GpuProcess together(GpuProcess one, GpuProcess other) {
        if (one.kind() == other.kind()) {
            return new GpuProcess(one.pid(), sum(one, other), one.kind());
        }
        return new GpuProcess(one.pid(), larger(one, other), Kind.COMPUTE_AND_GRAPHICS);
    }

    /** Several entries of one kind are parts of a split card; an unknown part makes it unknown. */
    private static OptionalLong sum(GpuProcess one, GpuProcess other) {
        if (one.usedBytes().isEmpty() || other.usedBytes().isEmpty()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(one.usedBytes().getAsLong() + other.usedBytes().getAsLong());
    }

    private static OptionalLong larger(GpuProcess one, GpuProcess other) {
        return LongStream.concat(one.usedBytes().stream(), other.usedBytes().stream())
                .max();
    }
}
