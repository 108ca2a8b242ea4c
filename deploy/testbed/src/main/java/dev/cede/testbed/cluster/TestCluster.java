package dev.cede.testbed.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The real cluster of this machine: a real API server with its controllers, and nodes of a real
 * kubelet and containerd each.
 *
 * @param folder everything that belongs to it
 */
public record TestCluster(Path folder) {
    /** Names the folder, where it is not the usual one. */
    private static final String VARIABLE = "CEDE_TESTBED";

    private static final String USUAL = "/var/lib/cede-testbed";

    /** The image of the simulated GPU program; its entry point is gpu-hog. No node pulls it. */
    public static final String GPU_HOG_IMAGE = "cede.dev/gpu-hog:testbed";

    /** The one that is up. */
    public static TestCluster current() {
        Path folder = Path.of(System.getenv().getOrDefault(VARIABLE, USUAL));
        if (!Files.exists(folder.resolve("kubeconfig"))) {
            throw new IllegalStateException("no cluster is up in " + folder
                    + "; deploy/testbed/kubernetes/cluster up starts one");
        }
        return new TestCluster(folder);
    }

    /** Credentials that may do everything. */
    public Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    /** A line of JSON for each call that an installed coordinator has made. */
    public Path auditLog() {
        return folder.resolve("audit.log");
    }

    /** Credentials of the coordinator, who may do what its role allows. */
    public Path coordinatorKubeconfig() {
        return folder.resolve("coordinator.kubeconfig");
    }

    /** By name. */
    public List<ClusterNode> nodes() {
        try (Stream<Path> folders = Files.list(folder.resolve("nodes"))) {
            return folders.sorted()
                    .map(each -> new ClusterNode(each.getFileName().toString(), each, script()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the nodes of " + folder, e);
        }
    }

    private Path script() {
        return folder.resolve("cluster");
    }
}
