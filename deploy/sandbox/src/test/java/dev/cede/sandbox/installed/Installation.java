package dev.cede.sandbox.installed;

import dev.cede.sandbox.cluster.Await;
import dev.cede.testbed.cluster.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Cede as {@code cluster up --install} left it, with the switch off and a fresh namespace for each
 * test. Every node has one card of 64 units.
 */
final class Installation implements BeforeEachCallback, AfterEachCallback {
    static final String NAMESPACE = "cede-user";
    private static final String SYSTEM = "cede-system";
    private static final String SWITCH = "enable_topology_aware_preemption: ";
    private static final Path EXAMPLES = Path.of("..", "examples");

    private final TestCluster cluster = TestCluster.current();
    private final Kubectl kubectl = new Kubectl(cluster);

    @Override
    public void beforeEach(ExtensionContext context) {
        clear();
        turn(false);
        kubectl.run("create", "namespace", NAMESPACE);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        clear();
    }

    private void clear() {
        kubectl.run("delete", "namespace", NAMESPACE, "--ignore-not-found", "--timeout=2m");
        kubectl.run("delete", "priorityclass", "high", "--ignore-not-found");
    }

    TestCluster cluster() {
        return cluster;
    }

    Kubectl kubectl() {
        return kubectl;
    }

    /** What kubectl prints of the objects of the test's namespace. */
    String get(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--namespace", NAMESPACE, "get"));
        all.addAll(List.of(arguments));
        return kubectl.run(all.toArray(String[]::new));
    }

    /** Applies a manifest of the documented example. */
    void apply(String file, String deployment, int replicas) {
        try {
            Path folder = Files.createTempDirectory("cede-example");
            Path manifest = folder.resolve("manifest.yaml");
            Path kustomization = folder.resolve("kustomization.yaml");
            Files.copy(EXAMPLES.resolve(file), manifest);
            Files.writeString(kustomization, asHogs(deployment, replicas));
            kubectl.run("apply", "-k", folder.toString());
            Files.delete(manifest);
            Files.delete(kustomization);
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The example's containers become ones that use the memory they are given. */
    private static String asHogs(String deployment, int replicas) {
        return """
                namespace: %s
                images: [{name: busybox, newName: cede.dev/gpu-hog, newTag: testbed}]
                replicas: [{name: %s, count: %d}]
                resources: [manifest.yaml]
                patches:
                  - target: {kind: Deployment}
                    patch: |-
                      - {op: remove, path: /spec/template/spec/containers/0/command}
                      - {op: add, path: /spec/template/spec/containers/0/imagePullPolicy, value: Never}
                      - op: add
                        path: /spec/template/spec/containers/0/env
                        value: [{name: GPU_HOG_LIMIT_FILE, value: /var/run/cede/limits}]
                      - {op: add, path: /spec/template/spec/automountServiceAccountToken, value: false}
                """.formatted(NAMESPACE, deployment, replicas);
    }

    /** Edits the switch in the ConfigMap, as its users do. */
    void turn(boolean on) {
        String text = config();
        String edited = text.replace(SWITCH + !on, SWITCH + on);
        if (edited.equals(text)) {
            return;
        }
        String patch = "{\"data\":{\"coordinator.yaml\":\"" + edited.replace("\n", "\\n") + "\"}}";
        kubectl.run("-n", SYSTEM, "patch", "configmap", "cede-coordinator", "-p", patch);
        hurry();
    }

    private String config() {
        return kubectl.run(
                "-n",
                SYSTEM,
                "get",
                "configmap",
                "cede-coordinator",
                "-o",
                "jsonpath={.data.coordinator\\.yaml}");
    }

    /** Kubelet looks at a pod that was changed at once, at others within a minute. */
    private void hurry() {
        String now = "cede.dev/touched=" + System.nanoTime();
        String coordinators = "app.kubernetes.io/name=cede-coordinator";
        kubectl.run("-n", SYSTEM, "annotate", "pod", "-l", coordinators, now, "--overwrite");
    }

    /** The pods of an app, by age: UID, phase, and why it is not scheduled. */
    List<Seen> pods(String app) {
        return get("pods", "-l", "app=" + app, "-o", Seen.TEMPLATE)
                .lines()
                .map(Seen::parse)
                .toList();
    }

    void awaitRunning(String app, int count) {
        Await.until(count + " of " + app + " running", () -> running(app) == count);
    }

    long running(String app) {
        return pods(app).stream().filter(Seen::isRunning).count();
    }

    /**
     * A pod.
     *
     * @param leaving when its deletion was asked for, or empty
     * @param reason of PodScheduled, in words, or empty
     */
    record Seen(String name, String uid, String phase, String leaving, String reason) {
        private static final String TEMPLATE = "jsonpath={range .items[*]}{.metadata.name}|"
                + "{.metadata.uid}|{.status.phase}|{.metadata.deletionTimestamp}|"
                + "{.status.conditions[?(@.type==\"PodScheduled\")].message}|{\"\\n\"}{end}";

        private static Seen parse(String line) {
            String[] part = line.split("\\|", -1);
            return new Seen(part[0], part[1], part[2], part[3], part[4]);
        }

        boolean isRunning() {
            return phase.equals("Running") && leaving.isEmpty();
        }
    }
}
