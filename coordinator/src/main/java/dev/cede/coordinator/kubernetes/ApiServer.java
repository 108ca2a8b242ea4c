package dev.cede.coordinator.kubernetes;

import dev.cede.config.SettingsException;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** How the API server is reached. */
public final class ApiServer {
    /** An answer that takes longer counts as none; the API server itself gives up after 60 s. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(15);

    private ApiServer() {}

    /**
     * By a kubeconfig file, else as a pod of the cluster. Throws {@link SettingsException} on a
     * file that cannot be used.
     */
    public static KubernetesClient connect(Optional<Path> kubeconfig) {
        Config config = kubeconfig.map(ApiServer::read).orElseGet(() -> Config.autoConfigure(null));
        // Watches over WebSocket are an extra of some servers, and are tried first otherwise.
        config.setOnlyHttpWatches(true);
        // Calls are repeated where it is known that they may be: by the state machine.
        config.setRequestRetryBackoffLimit(0);
        config.setRequestTimeout((int) CALL_TIMEOUT.toMillis());
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static Config read(Path kubeconfig) {
        try {
            return Config.fromKubeconfig(kubeconfig.toFile());
        } catch (RuntimeException e) {
            throw new SettingsException("kubeconfig is " + kubeconfig
                    + "; it takes a kubeconfig file, and this one cannot be read: "
                    + e.getMessage());
        }
    }
}
