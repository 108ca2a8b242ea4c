package dev.cede.nvml.sim;

import java.util.OptionalLong;

/**
 * An entry in a card's process list for which no process need exist.
 *
 * @param mib used MiB; empty where the driver is to have no figure
 */
public record Ghost(int pid, OptionalLong mib, boolean graphics) {

    public Ghost {
        if (pid <= 0 || mib.orElse(0) < 0) {
            throw new IllegalArgumentException("ghost process " + pid + " with " + mib + " MiB");
        }
    }

    /** A computing one. */
    public static Ghost of(int pid, long mib) {
        return new Ghost(pid, OptionalLong.of(mib), false);
    }

    /** A computing one of which the driver cannot tell what it uses. */
    public static Ghost ofUnknownUse(int pid) {
        return new Ghost(pid, OptionalLong.empty(), false);
    }
}
