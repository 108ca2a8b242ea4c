package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the controllers make of a victim (E11), and what of a workload (E1). */
abstract class WorkloadContract extends ApiServerContract {

    WorkloadContract(Supplier<KubernetesClient> server) {
        super(server);
    }

    private void deploy(String name, int replicas) {
        ok(ApiRequest.post(
                "/apis/apps/v1/namespaces/" + namespace + "/deployments",
                CoreFixture.json(("{'metadata':{'name':'%s'},'spec':{'replicas':%d,"
                                + "'selector':{'matchLabels':{'app':'%s'}},"
                                + "'template':{'metadata':{'labels':{'app':'%s'}},"
                                + "'spec':{'schedulerName':'nobody',"
                                + "'automountServiceAccountToken':false,"
                                + "'containers':[{'name':'c','image':'none'}]}}}}")
                        .formatted(name, replicas, name, name))));
    }

    private List<Pod> awaitPods(String app, Predicate<List<Pod>> condition) {
        try {
            return client.pods()
                    .inNamespace(namespace)
                    .withLabel("app", app)
                    .informOnCondition(condition)
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(podsOf(app).toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private List<Pod> podsOf(String app) {
        return client.pods().inNamespace(namespace).withLabel("app", app).list().getItems();
    }

    private ReplicaSet replicaSetOf(String app) {
        var found = client.apps().replicaSets().inNamespace(namespace).withLabel("app", app);
        return found.list().getItems().getFirst();
    }

    /** Once its controllers have counted as many pods as it wants. */
    private void awaitSettled(String app) {
        client.apps()
                .deployments()
                .inNamespace(namespace)
                .withName(app)
                .waitUntilCondition(
                        WorkloadContract::isSettled, PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean isSettled(Deployment deployment) {
        return deployment != null
                && deployment.getStatus() != null
                && deployment
                        .getMetadata()
                        .getGeneration()
                        .equals(deployment.getStatus().getObservedGeneration())
                && deployment
                        .getSpec()
                        .getReplicas()
                        .equals(deployment.getStatus().getReplicas());
    }

    private Pod only(String app) {
        return awaitPods(app, list -> list.size() == 1).getFirst();
    }

    private static boolean isOther(Pod pod, Pod than) {
        return !pod.getMetadata().getUid().equals(than.getMetadata().getUid());
    }

    private static OwnerReference owner(Pod pod) {
        return pod.getMetadata().getOwnerReferences().getFirst();
    }

    @Test
    void aDeploymentMakesAReplicaSetAndThatItsPods() {
        deploy("made", 2);
        List<Pod> pods = awaitPods("made", list -> list.size() == 2);
        ReplicaSet replicaSet = replicaSetOf("made");
        String hash = replicaSet.getMetadata().getLabels().get("pod-template-hash");
        assertEquals("made-" + hash, replicaSet.getMetadata().getName());
        assertEquals(2, replicaSet.getSpec().getReplicas());
        for (Pod pod : pods) {
            assertEquals(hash, pod.getMetadata().getLabels().get("pod-template-hash"));
            assertEquals("ReplicaSet", owner(pod).getKind());
            assertEquals(replicaSet.getMetadata().getUid(), owner(pod).getUid());
            assertTrue(owner(pod).getController());
            assertTrue(
                    pod.getMetadata().getName().matches("made-" + hash + "-[a-z0-9]{5}"),
                    pod.getMetadata()::getName);
        }
    }

    /** E11: the new pod is there while the victim still leaves. */
    @Test
    void aPodThatLeavesIsReplacedAtOnce() {
        deploy("left", 1);
        Pod victim = only("left");
        var path = pods + "/" + victim.getMetadata().getName();
        bind(get(path));
        ok(ApiRequest.delete(path, Json.newObject()));
        List<Pod> both = awaitPods("left", list -> list.size() == 2);
        Pod young =
                both.stream().filter(pod -> isOther(pod, victim)).findFirst().orElseThrow();
        Pod old = both.stream().filter(pod -> !isOther(pod, victim)).findFirst().orElseThrow();
        assertEquals(30L, old.getMetadata().getDeletionGracePeriodSeconds());
        assertNotEquals(victim.getMetadata().getName(), young.getMetadata().getName());
        assertEquals(owner(victim), owner(young));
        assertEquals(null, young.getSpec().getNodeName());
        ok(ApiRequest.delete(path, CoreFixture.json("{'gracePeriodSeconds':0}")));
        assertEquals(young.getMetadata().getUid(), only("left").getMetadata().getUid());
    }

    @Test
    void aPodThatFailedIsReplacedAtOnceAndStays() {
        deploy("failed", 1);
        Pod victim = only("failed");
        var path = pods + "/" + victim.getMetadata().getName();
        ok(ApiRequest.strategicMergePatch(
                path + "/status",
                CoreFixture.json(
                        "{'status':{'phase':'Failed','reason':'UnexpectedAdmissionError'}}")));
        awaitPods("failed", list -> list.size() == 2);
        awaitSettled("failed");
        List<Pod> both = podsOf("failed");
        assertEquals(2, both.size(), "one more, not one after the other");
        assertEquals("Failed", Json.text(get(path), "status", "phase"));
        assertEquals(1, replicaSetOf("failed").getSpec().getReplicas());
        assertEquals(1, replicaSetOf("failed").getStatus().getReplicas());
    }

    @Test
    void aDeploymentIsScaledAndTakesItsPodsWithIt() {
        deploy("scaled", 3);
        Pod bound = awaitPods("scaled", list -> list.size() == 3).get(1);
        bind(get(pods + "/" + bound.getMetadata().getName()));
        var deployment = client.apps().deployments().inNamespace(namespace).withName("scaled");
        deployment.scale(1);
        Pod left = awaitPods("scaled", list -> list.size() == 1).getFirst();
        assertEquals(
                bound.getMetadata().getName(),
                left.getMetadata().getName(),
                "pods without a node go first");
        deployment.withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
        awaitPods(
                "scaled",
                list -> list.stream()
                        .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
    }
}
