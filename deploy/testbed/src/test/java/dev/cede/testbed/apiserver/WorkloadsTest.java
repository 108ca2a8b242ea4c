package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.DEPLOYMENTS;
import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.REPLICA_SETS;
import static dev.cede.testbed.apiserver.CoreFixture.deployment;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class WorkloadsTest {

    private static final String D = DEPLOYMENTS + "/d";

    private final CoreFixture cluster = new CoreFixture();

    private void deploy(int replicas) {
        cluster.ok(ApiRequest.post(DEPLOYMENTS, deployment("d", replicas)));
    }

    private void delete(String path, String options) {
        cluster.ok(ApiRequest.delete(path, json(options)));
    }

    private void startAll() {
        for (String name : cluster.names(PODS + "?fieldSelector=spec.nodeName%3D")) {
            cluster.bind(name, "n1");
            cluster.setPhase(name, "Running");
        }
    }

    private List<Long> replicasOfSets() {
        return cluster.list(REPLICA_SETS).stream()
                .map(item -> Json.number(0, item, "spec", "replicas"))
                .sorted()
                .toList();
    }

    @Test
    void theStatusFollowsThePods() {
        deploy(2);
        assertEquals(2, Json.number(0, cluster.get(D), "status", "unavailableReplicas"));
        assertFalse(Pods.hasCondition(cluster.get(D), "Available"));
        startAll();
        assertEquals(2, Json.number(0, cluster.get(D), "status", "readyReplicas"));
        assertEquals(2, Json.number(0, cluster.get(D), "status", "availableReplicas"));
        assertEquals(0, Json.number(9, cluster.get(D), "status", "unavailableReplicas"));
        assertTrue(Pods.hasCondition(cluster.get(D), "Available"));
    }

    /** E1: a size that grew afterwards could be seen too late. */
    @Test
    void aReplicaSetIsBornWithTheNumberOfItsPods() {
        Watch watch = cluster.watch(REPLICA_SETS + "?watch=true");
        deploy(3);
        ObjectNode born = watch.poll(cluster.now()).getFirst();
        assertEquals("ADDED", Json.text(born, "type"));
        assertEquals(3, Json.number(0, born, "object", "spec", "replicas"));
    }

    @Test
    void aNewTemplateRollsOutWithinItsLimits() {
        deploy(4);
        startAll();
        // 25 % each way of 4: at most 5 pods, at least 3 available.
        cluster.ok(ApiRequest.put(D, deployment("d", 4, "i2", "")));
        assertEquals(List.of(2L, 3L), replicasOfSets());
        for (int round = 0; round < 6; round++) {
            startAll();
            cluster.list(PODS).stream()
                    .filter(Owners::isDeleting)
                    .forEach(pod -> delete(
                            PODS + "/" + Json.text(pod, "metadata", "name"),
                            "{'gracePeriodSeconds':0}"));
        }
        assertEquals(List.of(0L, 4L), replicasOfSets());
        assertEquals(4, cluster.names(PODS).size());
        assertTrue(cluster.list(PODS).stream()
                .allMatch(pod -> Json.text(
                                Json.objects(pod, "spec", "containers").getFirst(), "image")
                        .equals("i2")));
        assertEquals(4, Json.number(0, cluster.get(D), "status", "updatedReplicas"));
    }

    @Test
    void recreateWaitsForTheLastOldPod() {
        String recreate = "'strategy':{'type':'Recreate'},";
        cluster.ok(ApiRequest.post(DEPLOYMENTS, deployment("d", 1, "i", recreate)));
        startAll();
        String old = cluster.names(PODS).getFirst();
        cluster.ok(ApiRequest.put(D, deployment("d", 1, "i2", recreate)));
        assertEquals(List.of(old), cluster.names(PODS));
        delete(PODS + "/" + old, "{'gracePeriodSeconds':0}");
        assertEquals(1, cluster.names(PODS).size());
        assertFalse(cluster.exists(PODS + "/" + old));
    }

    @Test
    void aPodThatMayNotBeCreatedIsTriedAgainWhenItsClassIsThere() {
        ObjectNode sent = deployment("d", 1);
        Json.child(sent, "spec", "template", "spec").put("priorityClassName", "late");
        cluster.ok(ApiRequest.post(DEPLOYMENTS, sent));
        assertEquals(List.of(), cluster.names(PODS));
        assertTrue(Pods.hasCondition(cluster.list(REPLICA_SETS).getFirst(), "ReplicaFailure"));
        cluster.ok(ApiRequest.post(
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                json("{'metadata':{'name':'late'},'value':5}")));
        assertEquals(1, cluster.names(PODS).size());
        assertFalse(Pods.hasCondition(cluster.list(REPLICA_SETS).getFirst(), "ReplicaFailure"));
    }

    @Test
    void foregroundDeletionKeepsTheOwnersUntilTheirPodsAreGone() {
        deploy(1);
        startAll();
        String pod = cluster.names(PODS).getFirst();
        delete(D, "{'propagationPolicy':'Foreground'}");
        assertTrue(cluster.exists(D));
        assertEquals(1, cluster.names(REPLICA_SETS).size());
        assertEquals(List.of(pod), cluster.names(PODS));
        delete(PODS + "/" + pod, "{'gracePeriodSeconds':0}");
        assertEquals(List.of(), cluster.names(REPLICA_SETS));
        assertFalse(cluster.exists(D));
    }

    @Test
    void orphanDeletionLeavesTheReplicaSetWithoutOwner() {
        deploy(1);
        delete(D, "{'propagationPolicy':'Orphan'}");
        assertFalse(cluster.exists(D));
        ObjectNode replicaSet = cluster.list(REPLICA_SETS).getFirst();
        assertFalse(Json.isPresent(replicaSet, "metadata", "ownerReferences"));
        assertEquals(1, cluster.names(PODS).size());
    }

    @Test
    void aDependentOfAnOwnerThatIsNotThereIsCollectedButNotOneOfAnUnknownKind() {
        String pod =
                "{'metadata':{'name':'%s','ownerReferences':[{'apiVersion':'%s','kind':'%s','name':'o',"
                        + "'uid':'gone'}]},'spec':{'containers':[{'name':'c','image':'i'}]}}";
        cluster.ok(ApiRequest.post(PODS, json(pod.formatted("a", "apps/v1", "ReplicaSet"))));
        cluster.ok(ApiRequest.post(PODS, json(pod.formatted("b", "example.org/v1", "Gadget"))));
        assertEquals(List.of("b"), cluster.names(PODS));
    }

    @Test
    void aDeletedNamespaceGoesWhenItsLastPodIsGone() {
        String namespaces = "/api/v1/namespaces";
        cluster.ok(ApiRequest.post(namespaces, json("{'metadata':{'name':'team'}}")));
        String pods = namespaces + "/team/pods";
        cluster.ok(ApiRequest.post(pods, json(CoreFixture.podText("p"))));
        cluster.ok(ApiRequest.post(pods + "/p/binding", CoreFixture.binding("p", "n1", "")));
        delete(namespaces + "/team", "{}");
        assertEquals(
                "Terminating", Json.text(cluster.get(namespaces + "/team"), "status", "phase"));
        cluster.refused(403, ApiRequest.post(pods, json(CoreFixture.podText("q"))));
        delete(pods + "/p", "{'gracePeriodSeconds':0}");
        assertFalse(cluster.exists(namespaces + "/team"));
    }

    @Test
    void aSelectorThatDoesNotMatchTheTemplateIsInvalid() {
        ObjectNode sent = deployment("d", 1);
        Json.child(sent, "spec", "selector", "matchLabels").put("app", "other");
        String message = cluster.refused(422, ApiRequest.post(DEPLOYMENTS, sent));
        assertTrue(message.contains("`selector` does not match template `labels`"), message);
    }
}
