package dev.cede.sandbox.cluster;

import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.RealCluster;
import dev.cede.sandbox.machine.Machines;
import dev.cede.testbed.cluster.ClusterNode;
import dev.cede.testbed.cluster.TestCluster;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The nodes of the real cluster that a run may use: all, or those that a property names. */
public final class ChosenNodes {
    /** Names, separated by commas. */
    private static final String PROPERTY = "cluster.nodes";

    private ChosenNodes() {}

    public static List<ClusterNode> all() {
        String names = System.getProperty(PROPERTY, "");
        List<ClusterNode> nodes = TestCluster.current().nodes().stream()
                .filter(node -> names.isEmpty()
                        || Arrays.asList(names.split(",", -1)).contains(node.name()))
                .toList();
        if (nodes.isEmpty()) {
            throw new IllegalStateException("no node of the cluster is called " + names);
        }
        return nodes;
    }

    static List<ClusterNode> one() {
        return all().subList(0, 1);
    }

    /** A sandbox on them, not yet started. */
    public static Machines sandbox(List<ClusterNode> nodes, CardSet cards, Path manifests) {
        return Machines.of(
                folder -> RealCluster.start(TestCluster.current(), nodes, cards), manifests);
    }
}
