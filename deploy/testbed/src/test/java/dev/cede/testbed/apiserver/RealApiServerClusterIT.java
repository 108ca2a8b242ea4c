package dev.cede.testbed.apiserver;

import dev.cede.testbed.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import tools.jackson.databind.node.ObjectNode;

/**
 * A real API server and its controllers against the contract: those of the cluster of this machine,
 * or any other that KUBECONFIG names. Needs no node.
 */
@Tag("cluster")
class RealApiServerClusterIT {

    private static final String GROUP = "contract.cede.dev";

    private static final String DEFINITIONS =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private static KubernetesClient connect() {
        String named = System.getenv("KUBECONFIG");
        Path kubeconfig = named == null || named.isEmpty()
                ? TestCluster.current().kubeconfig()
                : Path.of(named);
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        config.setOnlyHttpWatches(true);
        config.setRequestRetryBackoffLimit(0);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    @Nested
    class PodLife extends PodLifeContract {
        PodLife() {
            super(RealApiServerClusterIT::connect);
        }
    }

    @Nested
    class PodStatus extends PodStatusContract {
        PodStatus() {
            super(RealApiServerClusterIT::connect);
        }
    }

    @Nested
    class Admission extends AdmissionContract {
        Admission() {
            super(RealApiServerClusterIT::connect);
        }
    }

    @Nested
    class Watches extends WatchContract {

        private String plural;

        Watches() {
            super(RealApiServerClusterIT::connect);
        }

        /** One that is new: of all others a young server may know the past from its birth. */
        @BeforeAll
        void defineKind() {
            plural = "of-" + namespace;
            ok(ApiRequest.post(DEFINITIONS, definition()));
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(plural + "." + GROUP)
                    .waitUntilCondition(Watches::isServed, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        private ObjectNode definition() {
            return CoreFixture.json(("{'metadata':{'name':'%1$s.%2$s'},'spec':{'group':'%2$s',"
                            + "'scope':'Namespaced','names':{'plural':'%1$s','kind':'Thing'},"
                            + "'versions':[{'name':'v1','served':true,'storage':true,"
                            + "'schema':{'openAPIV3Schema':{'type':'object'}}}]}}")
                    .formatted(plural, GROUP));
        }

        private static boolean isServed(CustomResourceDefinition definition) {
            return Stream.ofNullable(definition.getStatus())
                    .flatMap(status -> Stream.ofNullable(status.getConditions()))
                    .flatMap(List::stream)
                    .anyMatch(condition -> condition.getType().equals("Established")
                            && condition.getStatus().equals("True"));
        }

        @AfterAll
        void removeKind() {
            ok(ApiRequest.delete(DEFINITIONS + "/" + plural + "." + GROUP, Json.newObject()));
        }

        @Override
        ResourceDefinitionContext kindWithoutPast() {
            return new ResourceDefinitionContext.Builder()
                    .withGroup(GROUP)
                    .withVersion("v1")
                    .withPlural(plural)
                    .withKind("Thing")
                    .withNamespaced(true)
                    .build();
        }
    }

    @Nested
    class Workloads extends WorkloadContract {
        Workloads() {
            super(RealApiServerClusterIT::connect);
        }
    }
}
