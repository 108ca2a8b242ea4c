package dev.cede.nvml.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A simulated card.
 *
 * @param minor N of its {@code /dev/nvidiaN}
 * @param linger how long an entry stays in the process list after its process died, counted from
 *     when the driver is first asked after the death
 */
public record SimulatedCard(
        String uuid,
        String name,
        String pciBusId,
        int minor,
        long totalMib,
        long reservedMib,
        Duration linger,
        List<Ghost> ghosts,
        List<Fault> faults) {

    public SimulatedCard {
        if (totalMib <= 0 || reservedMib < 0 || linger.isNegative()) {
            throw new IllegalArgumentException("simulated card " + uuid + " with total " + totalMib
                    + " MiB, reserved " + reservedMib + " MiB, linger " + linger);
        }
        ghosts = List.copyOf(ghosts);
        faults = List.copyOf(faults);
    }

    /** An ordinary card at this index of its machine. */
    public static SimulatedCard of(int index, String uuid, long totalMib) {
        return new SimulatedCard(
                uuid,
                "Simulated Card",
                "00000000:%02X:00.0".formatted(index + 1),
                index,
                totalMib,
                0,
                Duration.ZERO,
                List.of(),
                List.of());
    }

    public SimulatedCard withUuid(String newUuid) {
        return new SimulatedCard(
                newUuid, name, pciBusId, minor, totalMib, reservedMib, linger, ghosts, faults);
    }

    public SimulatedCard withName(String newName) {
        return new SimulatedCard(
                uuid, newName, pciBusId, minor, totalMib, reservedMib, linger, ghosts, faults);
    }

    public SimulatedCard withPciBusId(String newPciBusId) {
        return new SimulatedCard(
                uuid, name, newPciBusId, minor, totalMib, reservedMib, linger, ghosts, faults);
    }

    public SimulatedCard withMinor(int newMinor) {
        return new SimulatedCard(
                uuid, name, pciBusId, newMinor, totalMib, reservedMib, linger, ghosts, faults);
    }

    public SimulatedCard withTotalMib(long mib) {
        return new SimulatedCard(
                uuid, name, pciBusId, minor, mib, reservedMib, linger, ghosts, faults);
    }

    public SimulatedCard withReservedMib(long mib) {
        return new SimulatedCard(
                uuid, name, pciBusId, minor, totalMib, mib, linger, ghosts, faults);
    }

    public SimulatedCard withLinger(Duration newLinger) {
        return new SimulatedCard(
                uuid, name, pciBusId, minor, totalMib, reservedMib, newLinger, ghosts, faults);
    }

    public SimulatedCard withGhosts(List<Ghost> newGhosts) {
        return new SimulatedCard(
                uuid, name, pciBusId, minor, totalMib, reservedMib, linger, newGhosts, faults);
    }

    public SimulatedCard withGhost(Ghost ghost) {
        List<Ghost> more = new ArrayList<>(ghosts);
        more.add(ghost);
        return withGhosts(more);
    }

    /** Without any entry of this PID. */
    public SimulatedCard withoutGhost(int pid) {
        return withGhosts(ghosts.stream().filter(ghost -> ghost.pid() != pid).toList());
    }

    public SimulatedCard withFaults(List<Fault> newFaults) {
        return new SimulatedCard(
                uuid, name, pciBusId, minor, totalMib, reservedMib, linger, ghosts, newFaults);
    }

    public SimulatedCard withFault(String call, String answer) {
        List<Fault> more = new ArrayList<>(faults);
        more.add(new Fault(call, answer));
        return withFaults(more);
    }

    public SimulatedCard withoutFaults() {
        return withFaults(List.of());
    }
}
