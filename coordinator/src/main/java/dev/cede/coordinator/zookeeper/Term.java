package dev.cede.coordinator.zookeeper;

import dev.cede.model.Epoch;

/**
 * A term of this process.
 *
 * @param version of the epoch's node, as this term wrote it
 * @param latch our node in the latch: it goes with our session
 */
record Term(Epoch epoch, int version, String latch) {}
