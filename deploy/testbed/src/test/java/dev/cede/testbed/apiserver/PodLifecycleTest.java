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
    private static final ObjectNode NO_OPTIONS = Json.newObject();

    private final CoreFixture cluster = new CoreFixture();

    private static String uid(ObjectNode object) {
        return Json.text(object, "metadata", "uid");
    }

    private static String version(ObjectNode object) {
        return Json.text(object, "metadata", "resourceVersion");
    }

    private ApiRequest bind(String metadata) {
        return ApiRequest.post(POD + "/binding", binding("n1", metadata));
    }

    private static ApiRequest delete(String options) {
        return ApiRequest.delete(POD, json(options));
    }

    // Binding

    @Test
    void bindingSetsNodeConditionAndAnnotationsInOneWriteAndClearsTheNomination() {
        ObjectNode sent = json(CoreFixture.podText("p"));
        Json.child(sent, "metadata", "annotations").put("keep", "1").put("change", "old");
        cluster.ok(ApiRequest.post(PODS, sent));
        cluster.ok(ApiRequest.mergePatch(
                POD + "/status", json("{'status':{'nominatedNodeName':'n1'}}")));
        long before = cluster.core.revision();

        cluster.ok(bind("'annotations':{'change':'new','plan':'42'}"));

        assertEquals(before + 1, cluster.core.revision());
        ObjectNode pod = cluster.get(POD);
        assertEquals("n1", Json.text(pod, "spec", "nodeName"));
        assertEquals(
                Map.of("keep", "1", "change", "new", "plan", "42"),
                Json.strings(pod, "metadata", "annotations"));
        assertTrue(Pods.hasCondition(pod, "PodScheduled"));
        assertFalse(Json.isPresent(pod, "status", "nominatedNodeName"));
    }

    @Test
    void bindingOfAnAssignedAGatedOrALeavingPodIsAConflict() {
        cluster.boundPod("p", "n0");
        assertEquals(
                "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n0\"",
                cluster.refused(409, bind("")));
        cluster.ok(delete("{}"));
        assertTrue(cluster.refused(409, bind(""))
                .endsWith("is being deleted, cannot be assigned to a host"));
        cluster.ok(ApiRequest.post(
                PODS,
                json("{'metadata':{'name':'gated'},'spec':{'schedulingGates':[{'name':'g'}],"
                        + "'containers':[{'name':'c','image':'i'}]}}")));
        String gated = PODS + "/gated/binding";
        assertTrue(cluster.refused(409, ApiRequest.post(gated, binding("n1", "")))
                .endsWith("has non-empty .spec.schedulingGates"));
    }

    @Test
    void uidAndVersionOfABindingArePreconditions() {
        ObjectNode pod = cluster.createPod("p");
        cluster.refused(409, bind("'uid':'another'"));
        cluster.refused(409, bind("'resourceVersion':'1'"));
        assertEquals("", Json.text(cluster.get(POD), "spec", "nodeName"));
        cluster.ok(bind("'uid':'%s','resourceVersion':'%s'".formatted(uid(pod), version(pod))));
    }

    @Test
    void bindingIsAlsoTakenAtItsOlderPath() {
        cluster.createPod("p");
        cluster.ok(ApiRequest.post(
                "/api/v1/namespaces/default/bindings", binding("n1", "'name':'p'")));
        assertEquals("n1", Json.text(cluster.get(POD), "spec", "nodeName"));
    }

    @Test
    void bindingOfAMissingPodOrToNoNodeIsRefused() {
        cluster.refused(404, bind(""));
        cluster.createPod("p");
        cluster.refused(422, ApiRequest.post(POD + "/binding", json("{'target':{'kind':'Node'}}")));
    }

    @Test
    void theNodeOfAPodCannotBeSetByAnUpdate() {
        cluster.createPod("p");
        cluster.refused(422, ApiRequest.mergePatch(POD, json("{'spec':{'nodeName':'n1'}}")));
    }

    // Deletion

    @Test
    void aPodThatNoNodeHasVanishesAtOnce() {
        cluster.createPod("p");
        cluster.ok(delete("{}"));
        assertFalse(cluster.exists(POD));
    }

    @Test
    void aPodOfANodeIsMarkedAndStaysUntilItIsDeletedWithoutGrace() {
        cluster.boundPod("p", "n1");
        ObjectNode left = cluster.ok(delete("{}"));
        assertEquals("2030-01-01T00:00:30Z", Json.text(left, "metadata", "deletionTimestamp"));
        assertEquals(30, Json.number(0, left, "metadata", "deletionGracePeriodSeconds"));
        cluster.advance(3600);
        assertTrue(cluster.exists(POD));
        cluster.ok(delete("{'gracePeriodSeconds':0}"));
        assertFalse(cluster.exists(POD));
    }

    @Test
    void graceComesFromTheRequestThenFromThePod() {
        ObjectNode sent = json(CoreFixture.podText("p"));
        Json.child(sent, "spec").put("terminationGracePeriodSeconds", 5);
        cluster.ok(ApiRequest.post(PODS, sent));
        cluster.bind("p", "n1");
        assertEquals(
                5,
                Json.number(0, cluster.ok(delete("{}")), "metadata", "deletionGracePeriodSeconds"));
        cluster.boundPod("q", "n1");
        ObjectNode left =
                cluster.ok(ApiRequest.delete(PODS + "/q", json("{'gracePeriodSeconds':7}")));
        assertEquals(7, Json.number(0, left, "metadata", "deletionGracePeriodSeconds"));
    }

    @Test
    void aSecondDeleteCanOnlyShortenTheGrace() {
        cluster.boundPod("p", "n1");
        cluster.ok(delete("{'gracePeriodSeconds':20}"));
        cluster.advance(3);
        ObjectNode longer = cluster.ok(delete("{'gracePeriodSeconds':60}"));
        assertEquals(20, Json.number(0, longer, "metadata", "deletionGracePeriodSeconds"));
        ObjectNode shorter = cluster.ok(delete("{'gracePeriodSeconds':10}"));
        assertEquals(10, Json.number(0, shorter, "metadata", "deletionGracePeriodSeconds"));
        // Counted from the first request.
        assertEquals("2030-01-01T00:00:10Z", Json.text(shorter, "metadata", "deletionTimestamp"));
    }

    @Test
    void aPodThatIsOverGoesWithoutGrace() {
        cluster.boundPod("p", "n1");
        cluster.setPhase("p", "Failed");
        cluster.ok(delete("{}"));
        assertFalse(cluster.exists(POD));
    }

    @Test
    void uidAndVersionOfADeleteArePreconditions() {
        ObjectNode pod = cluster.boundPod("p", "n1");
        cluster.refused(409, delete("{'preconditions':{'uid':'another'}}"));
        cluster.refused(
                409,
                delete("{'preconditions':{'uid':'%s','resourceVersion':'1'}}".formatted(uid(pod))));
        assertFalse(Json.isPresent(cluster.get(POD), "metadata", "deletionTimestamp"));
        cluster.ok(delete("{'preconditions':{'uid':'%s','resourceVersion':'%s'}}"
                .formatted(uid(pod), version(pod))));
        assertTrue(Json.isPresent(cluster.get(POD), "metadata", "deletionTimestamp"));
    }

    @Test
    void aFinalizerHoldsThePodUntilItIsRemoved() {
        ObjectNode sent = json(CoreFixture.podText("p"));
        Json.child(sent, "metadata").putArray("finalizers").add("x/y");
        cluster.ok(ApiRequest.post(PODS, sent));
        cluster.ok(delete("{}"));
        assertTrue(Json.isPresent(cluster.get(POD), "metadata", "deletionTimestamp"));
        cluster.ok(ApiRequest.mergePatch(POD, json("{'metadata':{'finalizers':null}}")));
        assertFalse(cluster.exists(POD));
    }

    @Test
    void aDeletedPodCanNotBeDeletedAgain() {
        cluster.createPod("p");
        cluster.ok(ApiRequest.delete(POD, NO_OPTIONS));
        assertEquals("pods \"p\" not found", cluster.refused(404, delete("{}")));
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
