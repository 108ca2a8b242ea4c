package dev.cede.sandbox.gang;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.cluster.HogPod;
import dev.cede.sandbox.kubernetes.Kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.util.List;
import java.util.Map;

/** Objects of which gangs are made. */
final class Gangs {
    private Gangs() {}

    /** @param member whose name it takes */
    static Deployment deployment(HogPod member, int replicas, String namespace) {
        Map<String, String> labels = Map.of("app", member.name());
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(member.name())
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .withSpec(member.pod().getSpec())
                .endTemplate()
                .endSpec()
                .build();
    }

    /** Whoever made them, and all other pods; returns when there are none. */
    static void removeAll(Kubernetes kubernetes) {
        KubernetesClient client = kubernetes.client();
        String namespace = kubernetes.namespace();
        client.apps().deployments().inNamespace(namespace).delete();
        client.configMaps().inNamespace(namespace).withName(GangWorld.GANG).delete();
        Await.until("no pods are left", () -> {
            List<Pod> left = client.pods().inNamespace(namespace).list().getItems();
            left.stream()
                    .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                    .forEach(pod -> client.resource(pod).delete());
            return left.isEmpty();
        });
    }

    /** Of a kind that says nothing about pods. */
    static ConfigMap owner(String name, String namespace) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .build();
    }

    static Pod ownedBy(ConfigMap owner, HogPod member) {
        return new PodBuilder(member.pod())
                .editMetadata()
                .withNamespace(owner.getMetadata().getNamespace())
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("ConfigMap")
                .withName(owner.getMetadata().getName())
                .withUid(owner.getMetadata().getUid())
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .build();
    }
}
