/** Plays a scenario: acts, watches what the cluster and the agents say, compares, and prints. */
package dev.cede.sandbox.play;
