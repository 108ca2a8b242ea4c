package dev.cede.model;

/**
 * A named difference between ledger, kubelet and driver.
 *
 * @param count since the agent started
 * @param last one sentence on the latest
 */
public record Drift(String kind, long count, String last) {}
