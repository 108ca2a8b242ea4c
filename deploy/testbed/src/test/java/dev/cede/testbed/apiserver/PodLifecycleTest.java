package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.binding;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class PodLifecycleTest {

    private static final String POD = PODS + "/p";

    private final CoreFixture cluster = new CoreFixture();

    private static ApiRequest delete(String options) {
        return ApiRequest.delete(POD, json(options));
    }

    // Binding

    @Test
    void bindingIsAlsoTakenAtItsOlderPath() {
        cluster.createPod("p");
        cluster.ok(ApiRequest.post("/api/v1/namespaces/default/bindings", binding("p", "n1", "")));
        assertEquals("n1", Json.text(cluster.get(POD), "spec", "nodeName"));
    }

    @Test
    void aBoundPodWearsZoneAndRegionOfItsNode() {
        cluster.ok(ApiRequest.post(
                "/api/v1/nodes",
                json("{'metadata':{'name':'n1','labels':{'topology.kubernetes.io/zone':'z',"
                        + "'topology.kubernetes.io/region':'r','other':'o'}}}")));
        assertEquals(
                Map.of(
                        "app", "p",
                        "topology.kubernetes.io/zone", "z",
                        "topology.kubernetes.io/region", "r"),
                Json.strings(cluster.boundPod("p", "n1"), "metadata", "labels"));
    }

    // Deletion

    @Test
    void noTimeOfItsOwnRemovesAPod() {
        cluster.boundPod("p", "n1");
        cluster.ok(delete("{}"));
        cluster.advance(3600);
        assertTrue(cluster.exists(POD));
    }

    @Test
    void aGraceIsNeverShortenedIntoThePast() {
        cluster.boundPod("p", "n1");
        cluster.ok(delete("{'gracePeriodSeconds':20}"));
        cluster.advance(15);
        ObjectNode left = cluster.ok(delete("{'gracePeriodSeconds':10}"));
        assertEquals("2030-01-01T00:00:15Z", Json.text(left, "metadata", "deletionTimestamp"));
        assertEquals(1, Json.number(0, left, "metadata", "deletionGracePeriodSeconds"));
    }

    @Test
    void aNegativeGraceIsASecond() {
        cluster.boundPod("p", "n1");
        ObjectNode left = cluster.ok(delete("{'gracePeriodSeconds':-5}"));
        assertEquals(1, Json.number(0, left, "metadata", "deletionGracePeriodSeconds"));
    }

    // Eviction

    @Test
    void evictionSaysWhyAndDeletesWithThePodsOwnGrace() {
        cluster.boundPod("p", "n1");
        cluster.ok(ApiRequest.post(POD + "/eviction", json("{'metadata':{'name':'p'}}")));
        ObjectNode pod = cluster.get(POD);
        assertEquals(30, Json.number(0, pod, "metadata", "deletionGracePeriodSeconds"));
        ObjectNode condition = Json.objects(pod, "status", "conditions").getLast();
        assertEquals("DisruptionTarget", Json.text(condition, "type"));
        assertEquals("EvictionByEvictionAPI", Json.text(condition, "reason"));
    }

    @Test
    void evictionHonoursItsPreconditions() {
        cluster.boundPod("p", "n1");
        cluster.refused(
                409,
                ApiRequest.post(
                        POD + "/eviction",
                        json("{'deleteOptions':{'preconditions':{'uid':'another'}}}")));
        assertFalse(Json.isPresent(cluster.get(POD), "metadata", "deletionTimestamp"));
    }
}
