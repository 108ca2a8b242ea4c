package dev.cede.agent.core;

/**
 * What the core is configured with.
 *
 * @param instance another for each start of the agent
 * @param maxShares containers that may share a card (B3)
 * @param placeUnplanned whether containers that nobody planned are served as good as it goes (A7)
 * @param pollMillis how often the driver is read
 * @param releasePollMillis the same while a release is open
 */
public record NodeSettings(
        String node,
        String instance,
        int maxShares,
        boolean placeUnplanned,
        long pollMillis,
        long releasePollMillis) {}
