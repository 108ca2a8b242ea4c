package dev.cede.coordinator.cluster;

/**
 * A node's taint.
 *
 * @param effect {@code NoSchedule}, {@code PreferNoSchedule} or {@code NoExecute}
 */
public record Taint(String key, String value, String effect) {}
