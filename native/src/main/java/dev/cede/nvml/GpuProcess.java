package dev.cede.nvml;

import java.util.OptionalLong;

/**
 * A process in the driver's list of a card.
 *
 * @param pid in the PID namespace of the process that asks
 * @param usedBytes empty where the driver cannot tell
 */
public record GpuProcess(int pid, OptionalLong usedBytes, Kind kind) {

    /** What the process uses the card for. */
    public enum Kind {
        COMPUTE,
        GRAPHICS,
        COMPUTE_AND_GRAPHICS
    }
}
