package dev.cede.sandbox.installed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The manifests as the API server takes them, and the policy among them. */
@Tag("installed")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ManifestsClusterIT {
    private static final Path MANIFESTS =
            Path.of("..", "manifests").toAbsolutePath().normalize();

    private final Kubectl kubectl = new Kubectl(TestCluster.current());

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"base", "overlays/external-zookeeper"})
    void theApiServerTakesAllOfThem(String kustomization) {
        dryRun(MANIFESTS.resolve(kustomization));
    }

    @Test
    void theApiServerTakesTheComponentOnTopOfTheBase() throws IOException {
        Files.writeString(
                folder.resolve("kustomization.yaml"),
                "resources: [%s]%ncomponents: [%s]%n"
                        .formatted(
                                seen(MANIFESTS.resolve("base")),
                                seen(MANIFESTS.resolve("components/nvidia-runtime-class"))));
        assertTrue(dryRun(folder).contains("daemonset.apps/cede-agent"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10-low.yaml",
                "20-high.yaml",
                "three-replicas",
                "third-without-place",
                "two-cards"
            })
    void theApiServerTakesTheExamples(String example) {
        Path path = Path.of("..", "examples", example);
        kubectl.run("apply", "--dry-run=server", "-f", path.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "default-scheduler, '', volcano.sh/gpu-mem.128Mi, spec.schedulerName is default-scheduler",
        "default-scheduler, '', volcano.sh/gpu-core.percentage, takes volcano",
        "volcano, n0, volcano.sh/gpu-mem.128Mi, spec.nodeName is n0"
    })
    void aPodWithSharesThatPassesTheSchedulerByIsRefused_A7(
            String scheduler, String node, String resource, String sentence) throws IOException {
        Kubectl.Answer answer = create(scheduler, node, resource);
        assertNotEquals(0, answer.status(), answer::text);
        assertTrue(answer.text().contains(sentence), answer::text);
    }

    @ParameterizedTest
    @CsvSource({
        "volcano, '', volcano.sh/gpu-mem.128Mi",
        "default-scheduler, '', cpu",
        "default-scheduler, n0, nvidia.com/gpu"
    })
    void otherPodsAreNotThePolicysBusiness_A7(String scheduler, String node, String resource)
            throws IOException {
        Kubectl.Answer answer = create(scheduler, node, resource);
        assertEquals(0, answer.status(), answer::text);
    }

    private Kubectl.Answer create(String scheduler, String node, String resource)
            throws IOException {
        Path file = folder.resolve("pod.yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Pod
                metadata: {name: asks}
                spec:
                  schedulerName: %s
                  nodeName: "%s"
                  automountServiceAccountToken: false
                  containers:
                    - name: main
                      image: cede.dev/gpu-hog:testbed
                      resources: {limits: {%s: 1}}
                """.formatted(scheduler, node, resource));
        return kubectl.ask("create", "--dry-run=server", "-f", file.toString());
    }

    private String dryRun(Path kustomization) {
        return kubectl.run(
                "apply",
                "--server-side",
                "--force-conflicts",
                "--dry-run=server",
                "-k",
                kustomization.toString());
    }

    private Path seen(Path path) {
        return folder.toAbsolutePath().relativize(path);
    }
}
