package dev.cede.sandbox.installed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The kinds of explicit groups (E1), as others' installations bring them into a cluster. */
final class PodGroups {
    /** Version by group. */
    private static final Map<String, String> KINDS = new TreeMap<>(
            Map.of("scheduling.volcano.sh", "v1beta1", "scheduling.x-k8s.io", "v1alpha1"));

    private PodGroups() {}

    static void define(Kubectl kubectl) {
        KINDS.forEach((group, version) -> apply(kubectl, definition(group, version)));
    }

    private static String definition(String group, String version) {
        return """
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata:
                  name: podgroups.%1$s
                  annotations:
                    api-approved.kubernetes.io: unapproved, for a test
                spec:
                  group: %1$s
                  scope: Namespaced
                  names: {plural: podgroups, singular: podgroup, kind: PodGroup}
                  versions:
                    - name: %2$s
                      served: true
                      storage: true
                      subresources: {status: {}}
                      schema:
                        openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
                """.formatted(group, version);
    }

    /** A group of Volcano's, which the coordinator lets in. */
    static void make(Kubectl kubectl) {
        kubectl.run(
                "wait",
                "--for=condition=Established",
                "--timeout=60s",
                "crd/podgroups.scheduling.volcano.sh");
        apply(kubectl, """
                apiVersion: scheduling.volcano.sh/v1beta1
                kind: PodGroup
                metadata: {name: gang, namespace: default}
                spec: {minMember: 2}
                """);
    }

    private static void apply(Kubectl kubectl, String definition) {
        try {
            Path file = Files.createTempFile("cede-", ".yaml");
            Files.writeString(file, definition);
            kubectl.run("apply", "-f", file.toString());
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void remove(Kubectl kubectl) {
        KINDS.keySet()
                .forEach(group ->
                        kubectl.run("delete", "crd", "podgroups." + group, "--ignore-not-found"));
    }
}
