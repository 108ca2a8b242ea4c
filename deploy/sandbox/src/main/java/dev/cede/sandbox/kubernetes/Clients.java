package dev.cede.sandbox.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import java.nio.file.Path;

/** How the sandbox talks to an API server. */
public final class Clients {
    /** The machine may be busy, and all parts start at once. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private Clients() {}

    public static KubernetesClient of(Path kubeconfig) {
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        config.setOnlyHttpWatches(true);
        config.setRequestTimeout(TIMEOUT_MILLIS);
        return new KubernetesClientBuilder().withConfig(config).build();
    }
}
