package dev.cede.nvml;

import java.util.List;

/**
 * What the driver of this machine says about its cards and about who uses them, now. Every call
 * asks the driver afresh. Safe for use by several threads.
 */
public interface CardInventory extends AutoCloseable {

    /**
     * All cards. One that cannot be used or read is among the excluded ones, with the reason; the
     * others stay readable.
     *
     * @throws NvmlException where the driver as a whole does not answer
     */
    Inventory read();

    /**
     * The processes that use a card, in ascending order of PID, each once, as seen in the PID
     * namespace of this process. The driver may list one for a while after it has died.
     *
     * @throws NvmlException where there is no such card or its list cannot be read; an empty list
     *     always means that the driver sees nobody
     */
    List<GpuProcess> processes(String uuid);

    @Override
    void close();
}
