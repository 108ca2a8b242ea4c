package dev.cede.sandbox.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

/** A real node runs nothing but gpu-hog; all else of a manifest stays as it was written. */
class HogContainersTest {
    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    private static String changed(String manifest) {
        HasMetadata object = YAML.unmarshal(manifest);
        return YAML.asYaml(HogContainers.in(object));
    }

    private static void assertChanged(String from, String to) {
        HasMetadata wanted = YAML.unmarshal(to);
        assertEquals(YAML.asYaml(wanted), changed(from));
    }

    @Test
    void aContainerWithAShareHoldsWhatItsLimitsSay() {
        assertChanged("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: { name: low }
                spec:
                  replicas: 3
                  template:
                    spec:
                      schedulerName: volcano
                      containers:
                        - name: main
                          image: busybox
                          command: [sleep, infinity]
                          args: [more]
                          env: [{ name: MODE, value: fast }]
                          resources: { limits: { volcano.sh/gpu-mem.128Mi: 64 } }
                """, """
                apiVersion: apps/v1
                kind: Deployment
                metadata: { name: low }
                spec:
                  replicas: 3
                  template:
                    spec:
                      automountServiceAccountToken: false
                      schedulerName: volcano
                      containers:
                        - name: main
                          image: cede.dev/gpu-hog:testbed
                          imagePullPolicy: Never
                          env:
                            - { name: MODE, value: fast }
                            - { name: GPU_HOG_LIMIT_FILE, value: /var/run/cede/limits }
                          resources: { limits: { volcano.sh/gpu-mem.128Mi: 64 } }
                """);
    }

    @Test
    void aContainerWithoutAShareHoldsNothing() {
        assertChanged("""
                apiVersion: v1
                kind: Pod
                metadata: { name: p }
                spec:
                  initContainers: [{ name: before, image: busybox }]
                  containers: [{ name: main, image: busybox, resources: { limits: { cpu: 1 } } }]
                """, """
                apiVersion: v1
                kind: Pod
                metadata: { name: p }
                spec:
                  automountServiceAccountToken: false
                  initContainers:
                    - name: before
                      image: cede.dev/gpu-hog:testbed
                      imagePullPolicy: Never
                      env: [{ name: GPU_HOG_MIB, value: "0" }]
                  containers:
                    - name: main
                      image: cede.dev/gpu-hog:testbed
                      imagePullPolicy: Never
                      env: [{ name: GPU_HOG_MIB, value: "0" }]
                      resources: { limits: { cpu: 1 } }
                """);
    }

    @Test
    void whatHasNoContainersIsLeftAlone() {
        String manifest = """
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: { name: high }
                value: 1000
                """;
        assertChanged(manifest, manifest);
    }
}
