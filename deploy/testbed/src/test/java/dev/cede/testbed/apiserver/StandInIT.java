package dev.cede.testbed.apiserver;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** The stand-in for an API server against the contract. */
class StandInIT {

    /** Changes a watch can go back to: fewer than come before the first test. */
    private static final int SHORT_HISTORY = 10;

    private static final List<ApiServer> SERVERS = new ArrayList<>();

    private static KubernetesClient connect() {
        return connect(ApiServerOptions.defaults());
    }

    private static KubernetesClient connect(ApiServerOptions options) {
        try {
            ApiServer server = ApiServer.start(options);
            SERVERS.add(server);
            return connect(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KubernetesClient connect(ApiServer server) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl(server.url().toString())
                        .withOnlyHttpWatches(true)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    @AfterAll
    static void stop() {
        SERVERS.forEach(ApiServer::close);
    }

    @Nested
    class PodLife extends PodLifeContract {
        PodLife() {
            super(StandInIT::connect);
        }
    }

    @Nested
    class PodStatus extends PodStatusContract {
        PodStatus() {
            super(StandInIT::connect);
        }
    }

    @Nested
    class Admission extends AdmissionContract {
        Admission() {
            super(StandInIT::connect);
        }
    }

    @Nested
    class Watches extends WatchContract {
        Watches() {
            super(() -> connect(ApiServerOptions.defaults().withHistory(SHORT_HISTORY)));
        }

        @Override
        ResourceDefinitionContext kindWithoutPast() {
            return new ResourceDefinitionContext.Builder()
                    .withVersion("v1")
                    .withPlural("configmaps")
                    .withKind("ConfigMap")
                    .withNamespaced(true)
                    .build();
        }
    }

    @Nested
    class Workloads extends WorkloadContract {
        Workloads() {
            super(StandInIT::connect);
        }
    }
}
