package dev.cede.agent.core;

import java.util.Optional;

/**
 * A process that runs.
 *
 * @param startTime in clock ticks since boot, as /proc counts; tells a PID from its later reuse
 * @param podUid empty when it belongs to no pod
 */
public record LiveProcess(int pid, long startTime, String name, Optional<String> podUid) {}
