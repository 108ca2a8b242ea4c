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
        make("apps/v1", "deployments", name, withReplicas(name, replicas));
    }

    /** {@code more} is more of the spec, each field with a comma after it. */
    private void makeSet(String name, String more) {
        make("apps/v1", "statefulsets", name, withReplicas(name, 2) + more);
    }

    private void makeJob(String name, String more) {
        make("batch/v1", "jobs", name, more);
    }

    private static String withReplicas(String name, int replicas) {
        return "'replicas':%d,'selector':{'matchLabels':{'app':'%s'}},".formatted(replicas, name);
    }

    private void make(String apiVersion, String plural, String name, String spec) {
        String restart = plural.equals("jobs") ? "'restartPolicy':'Never'," : "";
        ok(ApiRequest.post(
                collection(apiVersion, plural),
                CoreFixture.json(("{'metadata':{'name':'%s'},'spec':{%s"
                                + "'template':{'metadata':{'labels':{'app':'%s'}},"
                                + "'spec':{'schedulerName':'nobody',%s"
                                + "'automountServiceAccountToken':false,"
                                + "'containers':[{'name':'c','image':'none'}]}}}}")
                        .formatted(name, spec, name, restart))));
    }

    private String collection(String apiVersion, String plural) {
        return "/apis/%s/namespaces/%s/%s".formatted(apiVersion, namespace, plural);
    }

    private void end(Pod pod, String phase) {
        setStatus(pod, "{'status':{'phase':'%s'}}".formatted(phase));
    }

    private void setStatus(Pod pod, String patch) {
        String path = pods + "/" + pod.getMetadata().getName();
        ok(ApiRequest.strategicMergePatch(path + "/status", CoreFixture.json(patch)));
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getName()).sorted().toList();
    }

    private static long active(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                .count();
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
        setStatus(victim, "{'status':{'phase':'Failed','reason':'UnexpectedAdmissionError'}}");
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

    @Test
    void aPodOfAStatefulSetComesWhenTheOneBeforeItIsReady() {
        makeSet("ordered", "");
        Pod first = only("ordered");
        assertEquals("ordered-0", first.getMetadata().getName());
        assertEquals("StatefulSet", owner(first).getKind());
        setStatus(
                first,
                "{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}");
        List<Pod> both = awaitPods("ordered", list -> list.size() == 2);
        assertEquals(List.of("ordered-0", "ordered-1"), names(both));
    }

    @Test
    void thePodsOfAParallelStatefulSetComeTogetherAndKeepTheirNames() {
        makeSet("parallel", "'podManagementPolicy':'Parallel',");
        List<Pod> both = awaitPods("parallel", list -> list.size() == 2);
        assertEquals(List.of("parallel-0", "parallel-1"), names(both));
        Pod old = both.getFirst();
        ok(ApiRequest.delete(pods + "/" + old.getMetadata().getName(), Json.newObject()));
        List<Pod> again = awaitPods(
                "parallel",
                list -> list.size() == 2 && list.stream().allMatch(pod -> isOther(pod, old)));
        assertEquals(List.of("parallel-0", "parallel-1"), names(again));
    }

    @Test
    void aJobRunsNoMorePodsThanItsParallelismUntilAllAreCompleted() {
        makeJob("counted", "'parallelism':2,'completions':3,");
        List<Pod> two = awaitPods("counted", list -> list.size() == 2);
        assertEquals("Job", owner(two.getFirst()).getKind());
        end(two.get(0), "Succeeded");
        List<Pod> three = awaitPods("counted", list -> list.size() == 3);
        assertEquals(2, active(three));
        three.stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                .forEach(pod -> end(pod, "Succeeded"));
        awaitCondition("counted", "Complete");
        assertEquals(3, podsOf("counted").size());
    }

    @Test
    void aPodOfAJobThatFailedIsReplacedUntilTooManyHave() {
        makeJob("failing", "'backoffLimit':1,");
        Pod first = only("failing");
        end(first, "Failed");
        List<Pod> both = awaitPods("failing", list -> list.size() == 2);
        both.stream().filter(pod -> isOther(pod, first)).forEach(pod -> end(pod, "Failed"));
        awaitCondition("failing", "Failed");
        assertEquals(2, podsOf("failing").size());
    }

    private void awaitCondition(String job, String type) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace(namespace)
                .withName(job)
                .waitUntilCondition(
                        found -> found.getStatus().getConditions().stream()
                                .anyMatch(condition -> condition.getType().equals(type)
                                        && condition.getStatus().equals("True")),
                        PATIENCE.toSeconds(),
                        TimeUnit.SECONDS);
    }
}
