package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What is said on a pod and about it: status patches and events. */
abstract class PodStatusContract extends ApiServerContract {

    private static final String DISRUPTED =
            "{'type':'DisruptionTarget','status':'True','reason':'PreemptionByScheduler',"
                    + "'message':'%s','lastTransitionTime':'2030-01-01T00:00:00Z'}";

    PodStatusContract(Supplier<KubernetesClient> server) {
        super(server);
    }

    private static String conditions(String... conditions) {
        return "{'status':{'conditions':[" + String.join(",", conditions) + "]}}";
    }

    @Test
    void aStatusPatchMergesConditionsByType() {
        ObjectNode pod = boundPod();
        ObjectNode answer = ok(statusPatch(pod, conditions(DISRUPTED.formatted("first"))));
        ObjectNode marked = again(pod);
        assertEquals(marked, answer, "the answer is the pod, whose version goes into the delete");
        assertEquals("True", Json.text(condition(marked, "PodScheduled"), "status"));
        ObjectNode condition = condition(marked, "DisruptionTarget");
        assertEquals("PreemptionByScheduler", Json.text(condition, "reason"));
        assertEquals("2030-01-01T00:00:00Z", Json.text(condition, "lastTransitionTime"));
        ok(statusPatch(pod, conditions("{'type':'DisruptionTarget','message':'second'}")));
        ObjectNode changed = condition(again(pod), "DisruptionTarget");
        assertEquals("second", Json.text(changed, "message"));
        assertEquals("PreemptionByScheduler", Json.text(changed, "reason"));
        ok(delete(pod, "{}"));
        ok(statusPatch(pod, conditions(DISRUPTED.formatted("while it leaves"))));
    }

    @Test
    void aStatusPatchThatChangesNothingMakesNoVersion() {
        ObjectNode pod = createPod();
        ok(statusPatch(pod, conditions(DISRUPTED.formatted("m"))));
        ObjectNode marked = again(pod);
        assertNotEquals(version(pod), version(marked));
        ok(statusPatch(pod, conditions(DISRUPTED.formatted("m"))));
        assertEquals(marked, again(pod));
    }

    @Test
    void theNominationComesAndGoes() {
        ObjectNode pod = createPod();
        ok(statusPatch(pod, "{'status':{'nominatedNodeName':'n1'}}"));
        assertEquals("n1", Json.text(again(pod), "status", "nominatedNodeName"));
        ok(statusPatch(pod, "{'status':{'nominatedNodeName':null}}"));
        assertFalse(Json.isPresent(again(pod), "status", "nominatedNodeName"));
    }

    @Test
    void aBoundPodCannotBeNominated() {
        ObjectNode pod = boundPod();
        refused(422, INVALID, statusPatch(pod, "{'status':{'nominatedNodeName':'n1'}}"));
        ok(statusPatch(pod, "{'status':{'nominatedNodeName':null}}"));
        assertEquals(pod, again(pod));
    }

    @Test
    void aStatusPatchLeavesTheSpecAlone() {
        ObjectNode pod = createPod();
        ok(statusPatch(
                pod,
                "{'spec':{'nodeName':'n1','activeDeadlineSeconds':9},'status':{'reason':'x'}}"));
        assertEquals("x", Json.text(again(pod), "status", "reason"));
        assertEquals(pod.path("spec"), again(pod).path("spec"));
    }

    @Test
    void aWriteOfThePodLeavesTheStatusAlone() {
        ObjectNode pod = createPod();
        ok(ApiRequest.mergePatch(
                path(pod),
                CoreFixture.json("{'metadata':{'labels':{'x':'y'}},'status':{'phase':'Failed'}}")));
        ObjectNode changed = again(pod);
        assertEquals("y", Json.text(changed, "metadata", "labels", "x"));
        Json.child(changed, "metadata", "labels").put("x", "z");
        Json.child(changed, "status").put("phase", "Running");
        ok(ApiRequest.put(path(pod), changed));
        assertEquals("z", Json.text(again(pod), "metadata", "labels", "x"));
        assertEquals(pod.path("status"), again(pod).path("status"));
    }

    @Test
    void aVersionInAPatchIsAPrecondition() {
        ObjectNode old = createPod();
        ObjectNode pod = ok(statusPatch(old, "{'status':{'reason':'x'}}"));
        String patch = "{'metadata':{'uid':'%s','resourceVersion':'%s'},'status':{'reason':'y'}}";
        refused(409, CONFLICT, statusPatch(pod, patch.formatted(uid(pod), version(old))));
        refused(409, CONFLICT, ApiRequest.put(path(pod), old));
        assertEquals(pod, again(pod));
        ok(statusPatch(pod, patch.formatted(uid(pod), version(pod))));
        assertEquals("y", Json.text(again(pod), "status", "reason"));
    }

    /** Of another version too it is a conflict, so the coordinator's mark on a victim is one. */
    @Test
    void aPatchOfAnotherUidIsInvalidButAPutOfItAConflict() {
        ObjectNode old = createPod();
        ObjectNode pod = ok(statusPatch(old, "{'status':{'reason':'x'}}"));
        String patch = "{'metadata':{'uid':'%s','resourceVersion':'%s'},'status':{'reason':'y'}}";
        refused(422, INVALID, statusPatch(pod, patch.formatted(OTHER_UID, version(pod))));
        refused(409, CONFLICT, statusPatch(pod, patch.formatted(OTHER_UID, version(old))));
        ObjectNode other = pod.deepCopy();
        Json.child(other, "metadata").put("uid", OTHER_UID);
        refused(409, CONFLICT, ApiRequest.put(path(pod), other));
        assertEquals(pod, again(pod));
    }

    @Test
    void aPodThatIsGoneCannotBePatched() {
        ObjectNode pod = createPod();
        ok(delete(pod, "{}"));
        refused(404, NOT_FOUND, statusPatch(pod, conditions(DISRUPTED.formatted("m"))));
    }

    // Events

    private ApiRequest event(String name, String aboutNamespace, String message) {
        ObjectNode event = CoreFixture.json(
                ("{'metadata':{'name':'%s'},'type':'Warning','reason':'Preempted','count':1,"
                                + "'involvedObject':{'kind':'Pod','namespace':'%s','name':'p'},"
                                + "'firstTimestamp':'2030-01-01T00:00:00Z'}")
                        .formatted(name, aboutNamespace));
        return ApiRequest.post(events(), event.put("message", message));
    }

    private String events() {
        return "/api/v1/namespaces/" + namespace + "/events";
    }

    @Test
    void anEventIsWrittenBesideThePodItIsAbout() {
        ok(event("e", namespace, "makes room"));
        assertEquals("makes room", Json.text(get(events() + "/e"), "message"));
        refused(409, "AlreadyExists", event("e", namespace, "again"));
        refused(422, INVALID, event("f", "default", "about a pod elsewhere"));
    }

    /** The limit of 1024 is one for events of the newer form. */
    @Test
    void anEventTakesALongMessage() {
        String longer = "ü".repeat(2000);
        ok(event("long", namespace, longer));
        assertEquals(longer, Json.text(get(events() + "/long"), "message"));
    }
}
