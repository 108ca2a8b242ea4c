package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.apiserver.PodWatch.Heard;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Binding and deletion of pods. */
abstract class PodLifeContract extends ApiServerContract {

    PodLifeContract(Supplier<KubernetesClient> server) {
        super(server);
    }

    // Binding

    @Test
    void aBindingWritesNodeConditionAndAnnotationsAtOnceAndClearsTheNomination() {
        ObjectNode sent = newPod("");
        Json.child(sent, "metadata", "annotations").put("keep", "1").put("change", "old");
        ObjectNode pod = ok(ApiRequest.post(pods, sent));
        ok(statusPatch(
                pod,
                "{'status':{'nominatedNodeName':'other-node','conditions':["
                        + "{'type':'PodScheduled','status':'False','reason':'Unschedulable',"
                        + "'message':'no card is free'}]}}"));
        String before = version(again(pod));

        ok(binding(pod, ",'annotations':{'change':'new','plan':'42'},'labels':{'l':'1'}"));

        try (PodWatch watch = PodWatch.of(client, namespace, name(pod), before)) {
            Heard first = watch.next();
            assertEquals(Action.MODIFIED, first.action());
            Pod bound = first.pod();
            assertEquals(NODE, bound.getSpec().getNodeName());
            assertEquals(
                    Map.of("keep", "1", "change", "new", "plan", "42"),
                    bound.getMetadata().getAnnotations());
            assertEquals(Map.of("l", "1"), bound.getMetadata().getLabels());
            assertEquals(version(again(pod)), bound.getMetadata().getResourceVersion());
        }
        ObjectNode bound = again(pod);
        ObjectNode scheduled = condition(bound, "PodScheduled");
        assertEquals("True", Json.text(scheduled, "status"));
        assertEquals("", Json.text(scheduled, "reason") + Json.text(scheduled, "message"));
        assertEquals("", Json.text(bound, "status", "nominatedNodeName"));
        assertEquals("Pending", Json.text(bound, "status", "phase"));
        assertEquals(1, Json.number(-1, bound, "metadata", "generation"));
    }

    @Test
    void uidAndVersionOfABindingArePreconditions() {
        ObjectNode old = createPod();
        ok(statusPatch(old, "{'status':{'nominatedNodeName':'other-node'}}"));
        ObjectNode pod = again(old);
        refused(409, CONFLICT, binding(pod, ",'uid':'" + OTHER_UID + "'"));
        refused(
                409,
                CONFLICT,
                binding(
                        pod,
                        ",'uid':'%s','resourceVersion':'%s'".formatted(uid(pod), version(old))));
        assertEquals(pod, again(pod));
        ok(binding(pod, ",'uid':'%s','resourceVersion':'%s'".formatted(uid(pod), version(pod))));
    }

    @Test
    void aPodThatIsBoundIsNotBoundAgainNotEvenToTheSameNode() {
        ObjectNode pod = boundPod();
        refused(409, CONFLICT, binding(pod, ""));
        assertEquals(pod, again(pod));
    }

    @Test
    void aPodThatIsLeavingIsNotBound() {
        ObjectNode held = newPod("");
        Json.child(held, "metadata").putArray("finalizers").add("example.org/held");
        ObjectNode pod = ok(ApiRequest.post(pods, held));
        ok(delete(pod, "{}"));
        refused(409, CONFLICT, binding(pod, ""));
        ok(ApiRequest.mergePatch(path(pod), CoreFixture.json("{'metadata':{'finalizers':null}}")));
        refused(404, NOT_FOUND, binding(pod, ""));
    }

    @Test
    void aPodWithGatesIsNotBoundBeforeTheLastOneIsRemoved() {
        ObjectNode pod =
                ok(ApiRequest.post(pods, newPod(",'schedulingGates':[{'name':'example.org/g'}]")));
        assertEquals("SchedulingGated", Json.text(condition(pod, "PodScheduled"), "reason"));
        refused(409, CONFLICT, binding(pod, ""));
        ok(ApiRequest.mergePatch(path(pod), CoreFixture.json("{'spec':{'schedulingGates':null}}")));
        assertEquals(NODE, Json.text(bind(pod), "spec", "nodeName"));
    }

    @Test
    void aBindingNamesItsPodAndANode() {
        ObjectNode pod = createPod();
        ObjectNode another = createPod();
        refused(
                400,
                "BadRequest",
                ApiRequest.post(path(pod) + "/binding", binding(another, "").bodyObject()));
        ObjectNode nowhere = binding(pod, "").bodyObject();
        Json.child(nowhere, "target").put("name", "");
        refused(500, "", ApiRequest.post(path(pod) + "/binding", nowhere));
        assertEquals(pod, again(pod));
    }

    @Test
    void theNodeOfAPodIsSetByABindingOnly() {
        ObjectNode pod = createPod();
        ObjectNode patch = CoreFixture.json("{'spec':{'nodeName':'contract-node'}}");
        refused(422, INVALID, ApiRequest.mergePatch(path(pod), patch));
    }

    // Deletion

    @Test
    void aPodThatNoNodeHasIsRemovedAtOnce() {
        ObjectNode pod = createPod();
        ok(delete(pod, "{}"));
        refused(404, NOT_FOUND, ApiRequest.get(path(pod)));
        refused(404, NOT_FOUND, delete(pod, "{}"));
    }

    @Test
    void aPodOfANodeIsMarkedWithItsOwnGraceAndStaysUntilItIsDeletedWithoutGrace() {
        ObjectNode pod =
                bind(ok(ApiRequest.post(pods, newPod(",'terminationGracePeriodSeconds':7200"))));
        ok(delete(pod, "{}"));
        ObjectNode leaving = again(pod);
        Duration away = Duration.between(Instant.now(), deadline(leaving));
        assertTrue(away.toHours() >= 1, () -> "leaves in " + away);
        assertEquals(7200, grace(leaving));
        assertEquals(uid(pod), uid(leaving));
        assertNotEquals(version(pod), version(leaving));
        assertEquals(pod.path("status"), leaving.path("status"));
        assertEquals(2, Json.number(-1, leaving, "metadata", "generation"));
        ok(delete(pod, "{'gracePeriodSeconds':0}"));
        refused(404, NOT_FOUND, ApiRequest.get(path(pod)));
    }

    private static Instant deadline(ObjectNode pod) {
        return Instant.parse(Json.text(pod, "metadata", "deletionTimestamp"));
    }

    private static long grace(ObjectNode pod) {
        return Json.number(-1, pod, "metadata", "deletionGracePeriodSeconds");
    }

    @Test
    void aPodThatNamesNoGraceHasThirtySeconds() {
        ObjectNode pod = boundPod();
        ok(delete(pod, "{}"));
        assertEquals(30, grace(again(pod)));
    }

    @Test
    void aSecondDeleteCanOnlyShortenTheGraceCountedFromTheFirst() {
        ObjectNode pod = boundPod();
        ok(delete(pod, "{'gracePeriodSeconds':2000}"));
        ObjectNode leaving = again(pod);
        assertEquals(2000, grace(leaving));
        ok(delete(pod, "{}"));
        ok(delete(pod, "{'gracePeriodSeconds':3000}"));
        assertEquals(leaving, again(pod));
        ok(delete(pod, "{'gracePeriodSeconds':500}"));
        ObjectNode sooner = again(pod);
        assertEquals(500, grace(sooner));
        assertEquals(deadline(leaving).minusSeconds(1500), deadline(sooner));
    }

    @Test
    void aPodThatIsOverIsRemovedAtOnce() {
        ObjectNode pod = boundPod();
        ok(statusPatch(pod, "{'status':{'phase':'Failed'}}"));
        ok(delete(pod, "{}"));
        assertFalse(exists(path(pod)));
    }

    @Test
    void uidAndVersionOfADeleteArePreconditions() {
        ObjectNode old = createPod();
        ObjectNode pod = bind(old);
        String both = "{'preconditions':{'uid':'%s','resourceVersion':'%s'}}";
        refused(409, CONFLICT, delete(pod, both.formatted(OTHER_UID, version(pod))));
        refused(409, CONFLICT, delete(pod, both.formatted(uid(pod), version(old))));
        assertEquals(pod, again(pod));
        ok(delete(pod, both.formatted(uid(pod), version(pod))));
        ObjectNode leaving = again(pod);
        assertEquals(30, grace(leaving));
        refused(409, CONFLICT, delete(pod, both.formatted(uid(pod), version(pod))));
        assertEquals(leaving, again(pod));
    }

    @Test
    void aPodOfTheSameNameIsAnotherOne() {
        ObjectNode sent = newPod("");
        ObjectNode old = ok(ApiRequest.post(pods, sent));
        refused(409, "AlreadyExists", ApiRequest.post(pods, sent));
        ok(delete(old, "{}"));
        ObjectNode young = ok(ApiRequest.post(pods, sent));
        assertNotEquals(uid(old), uid(young));
        String ofOld = "'uid':'" + uid(old) + "'";
        refused(409, CONFLICT, delete(young, "{'preconditions':{" + ofOld + "}}"));
        refused(409, CONFLICT, binding(young, "," + ofOld));
        refused(
                409,
                CONFLICT,
                statusPatch(
                        young,
                        "{'metadata':{%s,'resourceVersion':'%s'},'status':{'reason':'x'}}"
                                .formatted(ofOld, version(old))));
        assertEquals(young, again(young));
    }

    @Test
    void aFinalizerHoldsAPodThatWasDeleted() {
        ObjectNode sent = newPod("");
        Json.child(sent, "metadata").putArray("finalizers").add("example.org/held");
        ObjectNode pod = ok(ApiRequest.post(pods, sent));
        ok(delete(pod, "{}"));
        assertEquals(0, grace(again(pod)));
        ok(ApiRequest.mergePatch(path(pod), CoreFixture.json("{'metadata':{'finalizers':null}}")));
        assertFalse(exists(path(pod)));
    }
}
