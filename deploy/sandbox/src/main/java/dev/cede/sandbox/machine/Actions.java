package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.sandbox.play.Cluster.ActionException;
import dev.cede.sandbox.play.PodSight;
import dev.cede.sandbox.scenario.Action;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Does to the API server what a scenario's steps say, as kubectl would. */
final class Actions {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private final Kubernetes kubernetes;
    private final KubernetesClient client;
    private final int cards;

    Actions(Kubernetes kubernetes, int cards) {
        this.kubernetes = kubernetes;
        this.client = kubernetes.client();
        this.cards = cards;
    }

    void apply(Path file, boolean oneACard) {
        try (InputStream manifest = Files.newInputStream(file)) {
            for (HasMetadata object : client.load(manifest).items()) {
                create(object, oneACard);
            }
        } catch (IOException e) {
            throw new ActionException("cannot read " + file + ": " + e.getMessage());
        } catch (KubernetesClientException e) {
            throw new ActionException(e.getMessage());
        }
    }

    private void create(HasMetadata written, boolean oneACard) {
        HasMetadata object = kubernetes.adapted(written);
        if (object instanceof Namespaced && object.getMetadata().getNamespace() == null) {
            object.getMetadata().setNamespace(kubernetes.namespace());
        }
        if (oneACard && object instanceof Deployment deployment) {
            deployment.getSpec().setReplicas(cards);
        }
        // As kubectl leaves it, so that a person can go on with kubectl apply.
        String applied = client.getKubernetesSerialization().asJson(object) + "\n";
        Map<String, String> annotations = new TreeMap<>(object.getMetadata().getAnnotations());
        annotations.put(LAST_APPLIED, applied);
        object.getMetadata().setAnnotations(annotations);
        client.resource(object).create();
    }

    /** @param podNames pods that the scenario gave names to */
    void delete(Action.Delete what, Map<String, PodSight> podNames) {
        try {
            List<StatusDetails> gone =
                    what.kind().equals("pod") ? deletePod(what, podNames) : deleteDeployment(what);
            if (gone.isEmpty()) {
                throw new ActionException("there is no " + what.kind() + " " + what.name());
            }
        } catch (KubernetesClientException e) {
            throw new ActionException(e.getMessage());
        }
    }

    private List<StatusDetails> deletePod(Action.Delete what, Map<String, PodSight> podNames) {
        PodSight named = podNames.get(what.name());
        String namespace = named == null ? kubernetes.namespace() : named.namespace();
        String name = named == null ? what.name() : named.name();
        return client.pods().inNamespace(namespace).withName(name).delete();
    }

    private List<StatusDetails> deleteDeployment(Action.Delete what) {
        return client.apps()
                .deployments()
                .inNamespace(kubernetes.namespace())
                .withName(what.name())
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();
    }
}
