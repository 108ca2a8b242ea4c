package dev.cede.sandbox.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** An API server and nodes, all but our own processes; closing it leaves nothing of the run. */
public interface Kubernetes extends AutoCloseable {
    /** What makes a node one of ours (B12). */
    Map<String, String> SHARED_NODE = Map.of("cede.dev/share", "true");

    /** Credentials of a person, who may do everything. */
    Path kubeconfig();

    Path coordinatorKubeconfig();

    /** With the person's credentials. */
    KubernetesClient client();

    /** Where objects go that name no namespace. */
    String namespace();

    /** Objects as they can run here; all else about them stays as it is. */
    HasMetadata adapted(HasMetadata object);

    List<GpuNode> nodes();

    /** A token of {@link #AGENT} as it is projected into a pod on this node. */
    String agentToken(String node, String audience);

    /** The service account of agents, in {@link #namespace}. */
    String AGENT = "cede-agent";

    @Override
    void close();
}
