package dev.cede.model;

/**
 * A process that keeps memory of a card.
 *
 * @param usedMib -1 where the driver does not say
 */
public record GpuProcess(int pid, String name, CardId card, int usedMib) {}
