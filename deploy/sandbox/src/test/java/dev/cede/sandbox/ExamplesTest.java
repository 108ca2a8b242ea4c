package dev.cede.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The manifests of the documented example say exactly what its documentation says (D5), those of the
 * others what they are for.
 */
class ExamplesTest {
    private static final String MEMORY = "volcano.sh/gpu-mem.128Mi";
    private static final String CARDS = "volcano.sh/gpu-num";
    private static final String CORE = "volcano.sh/gpu-core.percentage";

    private static List<HasMetadata> load(String name) throws IOException {
        try (InputStream in = Files.newInputStream(Path.of("..", "examples", name))) {
            Object read = new KubernetesSerialization().unmarshal(in);
            return read instanceof HasMetadata one
                    ? List.of(one)
                    : ((List<?>) read).stream().map(HasMetadata.class::cast).toList();
        }
    }

    private static Deployment deployment(String name) throws IOException {
        List<HasMetadata> objects = load(name);
        return (Deployment) objects.get(objects.size() - 1);
    }

    private static PodSpec podOf(HasMetadata object) {
        return ((Deployment) object).getSpec().getTemplate().getSpec();
    }

    private static void assertAsks(PodSpec pod, Map<String, String> asked) {
        assertEquals("volcano", pod.getSchedulerName());
        assertEquals(1, pod.getContainers().size());
        Container container = pod.getContainers().get(0);
        Map<String, String> limits = new TreeMap<>();
        container.getResources().getLimits().forEach((name, n) -> limits.put(name, n.toString()));
        assertEquals(asked, limits);
        assertEquals(
                container.getResources().getLimits(), container.getResources().getRequests());
    }

    @Test
    void theLowOneAsksForMemoryOnly() throws IOException {
        List<HasMetadata> objects = load("10-low.yaml");
        assertEquals(1, objects.size());
        assertAsks(podOf(objects.get(0)), Map.of(MEMORY, "64"));
        assertEquals(null, podOf(objects.get(0)).getPriorityClassName());
    }

    @Test
    void theHighOneAsksForCoreTooAndMayPreempt() throws IOException {
        List<HasMetadata> objects = load("20-high.yaml");
        PriorityClass priority = (PriorityClass) objects.get(0);
        assertEquals(1000, priority.getValue());
        assertEquals("PreemptLowerPriority", priority.getPreemptionPolicy());
        PodSpec pod = podOf(objects.get(1));
        assertEquals(priority.getMetadata().getName(), pod.getPriorityClassName());
        assertAsks(pod, Map.of(MEMORY, "64", CORE, "50"));
    }

    /** V05: 64 units in all, over two cards. */
    @ParameterizedTest
    @ValueSource(strings = {"10-medium", "20-wide", "40-high"})
    void aPodOverTwoCardsNamesTheirNumber(String name) throws IOException {
        Deployment deployment = deployment("two-cards/" + name + ".yaml");
        assertEquals(
                "2",
                deployment.getSpec().getTemplate().getMetadata().getLabels().get(CARDS));
        assertAsks(podOf(deployment), Map.of(MEMORY, "64"));
    }

    /** V06, and the same where all three have a place. */
    @ParameterizedTest
    @ValueSource(strings = {"three-replicas/20-high", "third-without-place/30-high"})
    void aWorkloadOfThreeAsksForAWholeCardEach(String name) throws IOException {
        Deployment deployment = deployment(name + ".yaml");
        assertEquals(3, deployment.getSpec().getReplicas());
        assertEquals("high", podOf(deployment).getPriorityClassName());
        assertAsks(podOf(deployment), Map.of(MEMORY, "64"));
    }
}
