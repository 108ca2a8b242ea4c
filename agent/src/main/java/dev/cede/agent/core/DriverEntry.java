package dev.cede.agent.core;

import dev.cede.model.CardId;
import dev.cede.model.GpuProcess;

import java.util.Optional;

/**
 * A process in the driver's list of a card.
 *
 * @param usedBytes -1 where the driver does not say
 * @param process empty when it is gone, or cannot be looked at
 */
public record DriverEntry(CardId card, int pid, long usedBytes, Optional<LiveProcess> process) {
    private static final long MIB = 1L << 20;

    GpuProcess toModel() {
        int mib = usedBytes < 0 ? -1 : Math.toIntExact(Math.ceilDiv(usedBytes, MIB));
        return new GpuProcess(pid, process.map(LiveProcess::name).orElse("gone"), card, mib);
    }
}
