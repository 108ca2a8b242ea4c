package dev.cede.agent.core;

/** A process was seen in the driver's list while it ran in a pod of ours. */
public record Attribution(int pid, long startTime, String podUid) {}
