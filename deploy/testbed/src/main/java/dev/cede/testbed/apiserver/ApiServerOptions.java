package dev.cede.testbed.apiserver;

import java.time.InstantSource;

/**
 * How an API server is started.
 *
 * @param port port on 127.0.0.1; 0 takes a free one
 * @param seed of UIDs and generated names
 * @param history changes a watch can go back to, 1 or more
 * @param clock the time of day
 */
public record ApiServerOptions(int port, long seed, int history, InstantSource clock) {

    private static final int HIGHEST_PORT = 65_535;

    public ApiServerOptions {
        if (port < 0 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException("port must be 0 to 65535: " + port);
        }
        if (history < 1) {
            throw new IllegalArgumentException("history must be 1 or more: " + history);
        }
    }

    /** A free port, the system's clock, and UIDs of its own for each start. */
    public static ApiServerOptions defaults() {
        InstantSource clock = InstantSource.system();
        long seed = System.nanoTime() ^ ProcessHandle.current().pid();
        return new ApiServerOptions(0, seed, ApiCore.DEFAULT_HISTORY, clock);
    }

    public ApiServerOptions withPort(int newPort) {
        return new ApiServerOptions(newPort, seed, history, clock);
    }

    public ApiServerOptions withSeed(long newSeed) {
        return new ApiServerOptions(port, newSeed, history, clock);
    }

    public ApiServerOptions withHistory(int newHistory) {
        return new ApiServerOptions(port, seed, newHistory, clock);
    }
}
