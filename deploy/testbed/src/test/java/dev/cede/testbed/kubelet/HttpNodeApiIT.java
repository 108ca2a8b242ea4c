package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.contract.KubeletRig.LIMIT;
import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.StandInKubelet.NODE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.apiserver.ApiServer;
import dev.cede.testbed.apiserver.ApiServerOptions;
import dev.cede.testbed.kubelet.api.HttpNodeApi;
import dev.cede.testbed.kubelet.contract.KubeletRig;
import dev.cede.testbed.kubelet.contract.StandInKubelet;
import dev.cede.testbed.kubelet.core.Span;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole kubelet against an API server over HTTP. */
@Timeout(300)
final class HttpNodeApiIT {
    /** Time enough for the test to write a condition between the process's end and the final phase. */
    private static final Duration UNTIL_FINAL = Duration.ofSeconds(5);

    private static KubernetesClient client(ApiServer server) {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.url().toString())
                .withNamespace("default")
                .build();
        config.setOnlyHttpWatches(true);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static Pod await(PodResource pod, Predicate<Pod> condition) {
        return pod.waitUntilCondition(condition, LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean hasPhase(Pod pod, String phase) {
        return pod != null
                && pod.getStatus() != null
                && phase.equals(pod.getStatus().getPhase());
    }

    @Test
    void aPodLivesAndEndsAndOthersConditionsStay() throws IOException {
        try (ApiServer server = ApiServer.start(ApiServerOptions.defaults());
                KubernetesClient client = client(server);
                KubeletRig rig = new KubeletRig(new StandInKubelet(
                        new HttpNodeApi(client),
                        builder -> builder.settings(now -> now.withTiming(
                                now.timing().withFinalStatus(Span.exactly(UNTIL_FINAL))))))) {
            rig.plugin(MEMORY, 8, ContainerAllocateResponse.getDefaultInstance());
            client.nodes()
                    .withName(NODE)
                    .waitUntilCondition(
                            node -> node != null
                                    && node.getStatus().getAllocatable().containsKey(MEMORY)
                                    && node.getStatus().getConditions().stream()
                                            .anyMatch(condition ->
                                                    condition.getType().equals("Ready")),
                            LIMIT.toSeconds(),
                            TimeUnit.SECONDS);
            client.pods()
                    .inNamespace("default")
                    .resource(rig.pod("one", Map.of(MEMORY, 8)))
                    .create();
            PodResource one = client.pods().inNamespace("default").withName("one");
            Pod running = await(one, pod -> hasPhase(pod, "Running"));
            ProcessHandle process = rig.process(running);

            client.raw(
                    "/api/v1/namespaces/default/pods/one",
                    "DELETE",
                    Map.of("apiVersion", "v1", "kind", "DeleteOptions", "gracePeriodSeconds", 20));
            KubeletRig.await(() -> !process.isAlive(), "end of the process");
            one.subresource("status").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), """
                    {"status": {"conditions": [{"type": "DisruptionTarget", "status": "True"}]}}""");
            Pod ended = await(one, pod -> hasPhase(pod, "Failed") || hasPhase(pod, "Succeeded"));
            assertTrue(
                    ended.getStatus().getConditions().stream()
                            .map(PodCondition::getType)
                            .collect(Collectors.toCollection(TreeSet::new))
                            .containsAll(List.of("DisruptionTarget", "Ready")),
                    ended::toString);
            one.waitUntilCondition(gone -> gone == null, LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aRejectedPodGetsItsReasonAndAnEvent() throws IOException {
        try (ApiServer server = ApiServer.start(ApiServerOptions.defaults());
                KubernetesClient client = client(server);
                KubeletRig rig = new KubeletRig(
                        new StandInKubelet(new HttpNodeApi(client), builder -> builder))) {
            rig.plugin(MEMORY, 8, ContainerAllocateResponse.getDefaultInstance());
            client.pods()
                    .inNamespace("default")
                    .resource(rig.pod("one", Map.of(MEMORY, 9)))
                    .create();
            Pod rejected = await(
                    client.pods().inNamespace("default").withName("one"),
                    pod -> hasPhase(pod, "Failed"));

            assertEquals("UnexpectedAdmissionError", rejected.getStatus().getReason());
            KubeletRig.await(
                    () -> client.v1().events().inNamespace("default").list().getItems().stream()
                            .anyMatch(
                                    event -> event.getReason().equals("UnexpectedAdmissionError")),
                    "the event");
        }
    }
}
