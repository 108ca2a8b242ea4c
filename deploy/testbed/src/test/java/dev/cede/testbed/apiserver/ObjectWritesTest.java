package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class ObjectWritesTest {

    private static final String POD = PODS + "/p";
    private static final String NODES = "/api/v1/nodes";

    private final CoreFixture cluster = new CoreFixture();

    @Test
    void aNodeKeepsTheStatusItIsCreatedWith() {
        ObjectNode node = cluster.ok(ApiRequest.post(
                NODES, json("{'metadata':{'name':'n1'},'status':{'capacity':{'cpu':'4'}}}")));
        assertEquals("4", Json.text(node, "status", "capacity", "cpu"));
        cluster.ok(ApiRequest.mergePatch(NODES + "/n1", json("{'spec':{'unschedulable':true}}")));
        assertEquals("4", Json.text(cluster.get(NODES + "/n1"), "status", "capacity", "cpu"));
    }

    @Test
    void aWriteThatChangesNothingMakesNoVersionAndNoEvent() {
        cluster.createPod("p");
        Watch watch = cluster.watch(PODS + "?watch=1");
        cluster.news(watch);
        long before = cluster.core.revision();
        cluster.ok(ApiRequest.mergePatch(POD, json("{'metadata':{'labels':{'app':'p'}}}")));
        cluster.ok(ApiRequest.put(POD, cluster.get(POD)));
        assertEquals(before, cluster.core.revision());
        assertEquals(List.of(), cluster.news(watch));
    }

    @Test
    void whatBelongsToTheServerCannotBeWritten() {
        ObjectNode pod = cluster.createPod("p");
        cluster.ok(ApiRequest.mergePatch(
                POD,
                json(
                        "{'metadata':{'creationTimestamp':null,'deletionTimestamp':'2030-01-01T00:00:00Z',"
                                + "'generation':9}}")));
        assertEquals(pod, cluster.get(POD));
        cluster.refused(400, ApiRequest.mergePatch(POD, json("{'metadata':{'name':'q'}}")));
    }

    @Test
    void aJsonPatchIsDoneAsAWholeOrRefused() {
        cluster.createPod("p");
        String test = "[{'op':'add','path':'/metadata/labels/a','value':'b'},"
                + "{'op':'test','path':'/metadata/name','value':'%s'}]";
        cluster.refused(422, jsonPatch(test.formatted("q")));
        assertEquals(Map.of("app", "p"), Json.strings(cluster.get(POD), "metadata", "labels"));
        cluster.ok(jsonPatch(test.formatted("p")));
        assertEquals("b", Json.text(cluster.get(POD), "metadata", "labels", "a"));
        cluster.refused(422, jsonPatch("[{'op':'remove','path':'/metadata/nothing'}]"));
    }

    private static ApiRequest jsonPatch(String text) {
        return ApiRequest.of("PATCH", POD, ApiRequest.JSON_PATCH, text.replace('\'', '"'));
    }

    @Test
    void serverSideApplyAndDryRunAreRefusedNotIgnored() {
        cluster.createPod("p");
        String message =
                cluster.refused(415, ApiRequest.of("PATCH", POD, ApiRequest.APPLY_PATCH, "{}"));
        assertTrue(message.contains("accepted are application/merge-patch+json"), message);
        cluster.refused(400, ApiRequest.delete(POD + "?dryRun=All", Json.newObject()));
        assertTrue(cluster.exists(POD));
    }

    @Test
    void theGenerationCountsChangesOfTheSpec() {
        cluster.ok(ApiRequest.post(CoreFixture.DEPLOYMENTS, CoreFixture.deployment("d", 1)));
        String path = CoreFixture.DEPLOYMENTS + "/d";
        cluster.ok(ApiRequest.mergePatch(path, json("{'metadata':{'labels':{'a':'b'}}}")));
        assertEquals(1, Json.number(0, cluster.get(path), "metadata", "generation"));
        cluster.ok(ApiRequest.mergePatch(path, json("{'spec':{'replicas':2}}")));
        assertEquals(2, Json.number(0, cluster.get(path), "metadata", "generation"));
        assertEquals(2, Json.number(0, cluster.get(path), "status", "observedGeneration"));
    }

    @Test
    void anEventIsOneObjectInBothOfItsForms() {
        String core = "/api/v1/namespaces/default/events";
        String grouped = "/apis/events.k8s.io/v1/namespaces/default/events";
        cluster.ok(ApiRequest.post(
                grouped,
                json(
                        "{'apiVersion':'events.k8s.io/v1','kind':'Event','metadata':{'name':'e'},'note':'n',"
                                + "'regarding':{'name':'p'},'reportingController':'r'}")));
        ObjectNode event = cluster.get(core + "/e");
        assertEquals("n", Json.text(event, "message"));
        assertEquals("v1", Json.text(event, "apiVersion"));
        cluster.ok(ApiRequest.mergePatch(core + "/e", json("{'message':'m','count':2}")));
        ObjectNode other = cluster.get(grouped + "/e");
        assertEquals("m", Json.text(other, "note"));
        assertEquals("events.k8s.io/v1", Json.text(other, "apiVersion"));
        assertEquals(List.of("e"), cluster.names(core + "?fieldSelector=involvedObject.name%3Dp"));
    }

    @Test
    void listsAreCutByNamespaceAndSelectors() {
        cluster.createPod("a");
        cluster.boundPod("b", "n1");
        cluster.ok(ApiRequest.post(
                "/api/v1/namespaces/kube-system/pods", json(CoreFixture.podText("c"))));
        assertEquals(List.of("a", "b"), cluster.names(PODS));
        assertEquals(List.of("a", "b", "c"), cluster.names("/api/v1/pods"));
        assertEquals(List.of("b"), cluster.names("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1"));
        assertEquals(List.of("c"), cluster.names("/api/v1/pods?labelSelector=app+notin+(a,b)"));
        assertFalse(Json.isPresent(cluster.list(PODS).getFirst(), "kind"));
    }

    @Test
    void aCollectionIsDeletedAsFarAsItIsSelected() {
        cluster.createPod("a");
        cluster.createPod("b");
        cluster.ok(ApiRequest.delete(PODS + "?labelSelector=app%3Da", Json.newObject()));
        assertEquals(List.of("b"), cluster.names(PODS));
    }

    @Test
    void unknownPathsKindsAndMethodsAreRefused() {
        cluster.refused(404, ApiRequest.get("/api/v1/namespaces/default/gadgets"));
        cluster.refused(404, ApiRequest.get("/apis/apps/v2/deployments"));
        cluster.refused(405, ApiRequest.post("/api/v1/pods", json(CoreFixture.podText("p"))));
        cluster.refused(400, ApiRequest.post(PODS, json("{'apiVersion':'v1','kind':'Node'}")));
        cluster.refused(404, ApiRequest.get(PODS + "/p/log"));
    }
}
