package dev.cede.sandbox.kubernetes;

import dev.cede.nvml.sim.SimulatedCards;

import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A node with what its agent is told of it. Paths are as the agent sees them.
 *
 * @param agentState where the agent may keep what it must not lose
 * @param devicePlugins kubelet's directory
 * @param podResources kubelet's socket
 * @param procRoot the processes of its containers, for the agent and for our own eye
 * @param inside makes of a command one that runs on the node
 */
public record GpuNode(
        String name,
        SimulatedCards cards,
        Path agentState,
        Path devicePlugins,
        Path podResources,
        Path procRoot,
        UnaryOperator<List<String>> inside) {}
