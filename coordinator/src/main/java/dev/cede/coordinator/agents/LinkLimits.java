package dev.cede.coordinator.agents;

import java.time.Duration;

/** All limits of our gRPC server. */
public final class LinkLimits {
    /** A report of a node with 16 cards and hundreds of pods is far below. */
    public static final int MESSAGE_BYTES = 16 << 20;

    /** Orders that wait for an agent that does not read; more close its stream. */
    public static final int UNREAD_ORDERS = 1024;

    /** An agent whose machine is gone is noticed after about this and the next. */
    public static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    public static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(5);

    /** Agents may ask as often as this whether we are alive. */
    public static final Duration LEAST_KEEP_ALIVE = Duration.ofSeconds(1);

    /** Calls at once on one connection. */
    public static final int CALLS_PER_CONNECTION = 64;

    private LinkLimits() {}
}
