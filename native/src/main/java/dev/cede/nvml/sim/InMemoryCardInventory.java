package dev.cede.nvml.sim;

import dev.cede.nvml.CardInventory;
import dev.cede.nvml.ExcludedCard;
import dev.cede.nvml.GpuProcess;
import dev.cede.nvml.GpuProcess.Kind;
import dev.cede.nvml.Inventory;
import dev.cede.nvml.NvmlCard;
import dev.cede.nvml.NvmlException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Cards in memory, for tests and simulations that want no library and no process: the processes of
 * a card are its ghosts. It keeps the same contract as the real inventory.
 */
public final class InMemoryCardInventory implements CardInventory {
    private static final long MIB = 1L << 20;

    private final TreeMap<Integer, SimulatedCard> cards = new TreeMap<>();
    private boolean closed;

    /** Sets the card at this index; of each PID it has one ghost at most. */
    public synchronized void put(int index, SimulatedCard card) {
        if (card.ghosts().stream().map(Ghost::pid).distinct().count()
                < card.ghosts().size()) {
            throw new IllegalArgumentException("card " + card.uuid() + " has a PID twice");
        }
        cards.put(index, card);
    }

    @Override
    public synchronized Inventory read() {
        requireOpen();
        List<NvmlCard> usable = new ArrayList<>();
        List<ExcludedCard> excluded = new ArrayList<>();
        cards.forEach((index, card) -> {
            try {
                List.of("handle", "uuid", "name", "minor", "pci", "memory")
                        .forEach(call -> failIfTold(card, call));
                usable.add(toCard(index, card));
            } catch (NvmlException e) {
                excluded.add(new ExcludedCard(
                        index, Optional.of(card.uuid()), e.getMessage(), e.retryCanHelp()));
            }
        });
        return new Inventory("in-memory", usable, excluded, List.of());
    }

    private static NvmlCard toCard(int index, SimulatedCard card) {
        long used =
                card.ghosts().stream().mapToLong(ghost -> ghost.mib().orElse(0)).sum();
        return new NvmlCard(
                card.uuid(),
                index,
                card.minor(),
                card.name(),
                card.pciBusId(),
                card.totalMib() * MIB,
                card.reservedMib() * MIB,
                used * MIB);
    }

    @Override
    public synchronized List<GpuProcess> processes(String uuid) {
        requireOpen();
        SimulatedCard card = cards.values().stream()
                .filter(candidate -> candidate.uuid().equals(uuid))
                .findFirst()
                .orElseThrow(() -> NvmlException.answered("handle", "NOT_FOUND"));
        failIfTold(card, "handle");
        failIfTold(card, "compute");
        boolean draws = draws(card);
        return card.ghosts().stream()
                .filter(ghost -> draws || !ghost.graphics())
                .map(InMemoryCardInventory::toProcess)
                .sorted(Comparator.comparingInt(GpuProcess::pid))
                .toList();
    }

    /** A card that cannot draw has no list of who draws. */
    private static boolean draws(SimulatedCard card) {
        if (card.faults().contains(new Fault("graphics", "NOT_SUPPORTED"))) {
            return false;
        }
        failIfTold(card, "graphics");
        return true;
    }

    private static GpuProcess toProcess(Ghost ghost) {
        OptionalLong used = ghost.mib().isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(ghost.mib().getAsLong() * MIB);
        return new GpuProcess(ghost.pid(), used, ghost.graphics() ? Kind.GRAPHICS : Kind.COMPUTE);
    }

    private static void failIfTold(SimulatedCard card, String call) {
        for (Fault fault : card.faults()) {
            if (fault.call().equals(call) || fault.call().equals("all")) {
                throw NvmlException.answered(call, fault.answer());
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the card inventory is closed");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
