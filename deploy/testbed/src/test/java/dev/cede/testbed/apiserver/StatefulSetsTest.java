package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class StatefulSetsTest {

    private static final String SETS = "/apis/apps/v1/namespaces/default/statefulsets";
    private static final String S = SETS + "/s";
    private static final String PARALLEL = "'podManagementPolicy':'Parallel',";

    private final CoreFixture cluster = new CoreFixture();

    private void make(int replicas, String more) {
        cluster.ok(ApiRequest.post(SETS, CoreFixture.deployment("s", replicas, "i", more)));
    }

    private List<String> pods() {
        return cluster.names(PODS);
    }

    private void start(String... names) {
        for (String name : names) {
            cluster.bind(name, "n1");
            cluster.setPhase(name, "Running");
        }
    }

    private void delete(String pod, String options) {
        cluster.ok(ApiRequest.delete(PODS + "/" + pod, json(options)));
    }

    private void end(String pod) {
        delete(pod, "{'gracePeriodSeconds':0}");
    }

    private void scale(int replicas) {
        cluster.ok(ApiRequest.mergePatch(
                S + "/scale", json("{'spec':{'replicas':%d}}".formatted(replicas))));
    }

    private String uid(String pod) {
        return Json.text(cluster.get(PODS + "/" + pod), "metadata", "uid");
    }

    private long status(String field) {
        return Json.number(-1, cluster.get(S), "status", field);
    }

    @Test
    void eachPodWaitsUntilTheOnesBeforeItAreReady() {
        make(3, "");
        assertEquals(List.of("s-0"), pods());
        cluster.bind("s-0", "n1");
        assertEquals(List.of("s-0"), pods());
        cluster.setPhase("s-0", "Running");
        assertEquals(List.of("s-0", "s-1"), pods());
        start("s-1");
        start("s-2");
        assertEquals(List.of("s-0", "s-1", "s-2"), pods());
        assertEquals(3, status("replicas"));
        assertEquals(3, status("readyReplicas"));
    }

    @Test
    void parallelPodsWaitForNone() {
        make(3, PARALLEL);
        assertEquals(List.of("s-0", "s-1", "s-2"), pods());
        assertEquals(3, status("replicas"));
        assertEquals(0, status("readyReplicas"));
    }

    @Test
    void aPodKnowsItsSetAndItsPlaceInIt() {
        make(2, PARALLEL + "'serviceName':'x',");
        ObjectNode pod = cluster.get(PODS + "/s-1");
        assertEquals("s", Json.text(pod, "metadata", "labels", "app"));
        assertEquals("1", Json.text(pod, "metadata", "labels", "apps.kubernetes.io/pod-index"));
        assertEquals("s-1", Json.text(pod, "spec", "hostname"));
        assertEquals("x", Json.text(pod, "spec", "subdomain"));
        assertEquals(
                Json.text(cluster.get(S), "metadata", "uid"),
                Owners.controller(pod, Kinds.STATEFUL_SETS).orElse(""));
    }

    @Test
    void aPodThatLeavesIsReplacedUnderItsNameWhenItIsGone() {
        make(1, "");
        start("s-0");
        String old = uid("s-0");
        delete("s-0", "{}");
        assertEquals(old, uid("s-0"));
        end("s-0");
        assertNotEquals(old, uid("s-0"));
        assertEquals(List.of("s-0"), pods());
    }

    @Test
    void aPodThatIsOverMakesRoomForTheNextOfItsName() {
        make(1, "");
        start("s-0");
        String old = uid("s-0");
        cluster.setPhase("s-0", "Failed");
        assertNotEquals(old, uid("s-0"));
        assertEquals("Pending", Json.text(cluster.get(PODS + "/s-0"), "status", "phase"));
    }

    @Test
    void theHighestOrdinalsGoFirstAndOneByOne() {
        make(3, "");
        start("s-0");
        start("s-1");
        start("s-2");
        scale(1);
        assertEquals(List.of("s-2"), leaving());
        end("s-2");
        assertEquals(List.of("s-1"), leaving());
        end("s-1");
        assertEquals(List.of("s-0"), pods());
        assertEquals(1, status("replicas"));
    }

    @Test
    void ofAParallelSetAllThatAreTooManyGoAtOnce() {
        make(3, PARALLEL);
        start("s-0", "s-1", "s-2");
        scale(1);
        assertEquals(List.of("s-1", "s-2"), leaving());
    }

    private List<String> leaving() {
        return cluster.list(PODS).stream()
                .filter(Owners::isDeleting)
                .map(pod -> Json.text(pod, "metadata", "name"))
                .toList();
    }

    @Test
    void aNewTemplateReplacesOnePodAfterTheOtherFromTheHighest() {
        make(2, PARALLEL);
        start("s-0", "s-1");
        ObjectNode set = cluster.get(S).deepCopy();
        Json.objects(set, "spec", "template", "spec", "containers").getFirst().put("image", "i2");
        cluster.ok(ApiRequest.put(S, set));
        assertEquals(List.of("s-1"), leaving());
        end("s-1");
        assertEquals("i2", image("s-1"));
        assertEquals(List.of(), leaving());
        assertNotEquals(
                Json.text(cluster.get(S), "status", "currentRevision"),
                Json.text(cluster.get(S), "status", "updateRevision"));
        start("s-1");
        assertEquals(List.of("s-0"), leaving());
        end("s-0");
        assertEquals("i2", image("s-0"));
        assertEquals(2, status("updatedReplicas"));
        assertEquals(
                Json.text(cluster.get(S), "status", "currentRevision"),
                Json.text(cluster.get(S), "status", "updateRevision"));
    }

    private String image(String pod) {
        ObjectNode found = cluster.get(PODS + "/" + pod);
        return Json.text(Json.objects(found, "spec", "containers").getFirst(), "image");
    }

    @Test
    void aPodThatMayNotBeCreatedIsTriedAgainWhenItsClassIsThere() {
        ObjectNode sent = CoreFixture.deployment("s", 2, "i", PARALLEL);
        Json.child(sent, "spec", "template", "spec").put("priorityClassName", "late");
        cluster.ok(ApiRequest.post(SETS, sent));
        assertEquals(List.of(), pods());
        cluster.ok(ApiRequest.post(
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                json("{'metadata':{'name':'late'},'value':5}")));
        assertEquals(List.of("s-0", "s-1"), pods());
    }

    @Test
    void itsPodsGoWithIt() {
        make(2, PARALLEL);
        cluster.ok(ApiRequest.delete(S, json("{}")));
        assertEquals(List.of(), pods());
    }

    @Test
    void whatThisServerCannotDoForASetIsRefused() {
        refused(422, "'volumeClaimTemplates':[{'metadata':{'name':'v'}}],", "makes no volumes");
        refused(422, "'podManagementPolicy':'Random',", "OrderedReady, Parallel");
        refused(422, "'updateStrategy':{'rollingUpdate':{'partition':1}},", "accepted is 0");
        make(1, "");
        String changed = cluster.refused(
                422, ApiRequest.mergePatch(S, json("{'spec':{'podManagementPolicy':'Parallel'}}")));
        assertTrue(changed.contains("only these fields may change: replicas"), changed);
    }

    private void refused(int code, String more, String why) {
        String message = cluster.refused(
                code, ApiRequest.post(SETS, CoreFixture.deployment("s", 1, "i", more)));
        assertTrue(message.contains(why), message);
    }
}
