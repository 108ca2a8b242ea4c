package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class JobsTest {

    private static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";
    private static final String J = JOBS + "/j";

    private final CoreFixture cluster = new CoreFixture();

    /** {@code spec} is of the Job, each field with a comma after it. */
    static ObjectNode job(String spec) {
        return json(("{'metadata':{'name':'j'},'spec':{%s'template':{'spec':{"
                        + "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}")
                .formatted(spec));
    }

    private void make(String spec) {
        cluster.ok(ApiRequest.post(JOBS, job(spec)));
    }

    private List<String> active() {
        return cluster.list(PODS).stream()
                .filter(Pods::isActive)
                .map(pod -> Json.text(pod, "metadata", "name"))
                .toList();
    }

    private void end(String phase) {
        cluster.setPhase(active().getFirst(), phase);
    }

    private void bindAll() {
        active().forEach(name -> cluster.bind(name, "n1"));
    }

    private void delete(String name, String options) {
        cluster.ok(ApiRequest.delete(PODS + "/" + name, json(options)));
    }

    private long status(String field) {
        return Json.number(0, cluster.get(J), "status", field);
    }

    private boolean is(String condition) {
        return Pods.hasCondition(cluster.get(J), condition);
    }

    @Test
    void asManyPodsRunAsItsParallelismAndNeverMoreThanAreStillToBeCompleted() {
        make("'parallelism':2,'completions':3,");
        assertEquals(2, active().size());
        assertEquals(2, status("active"));
        end("Succeeded");
        assertEquals(2, active().size());
        end("Succeeded");
        assertEquals(1, active().size());
        assertEquals(2, status("succeeded"));
        end("Succeeded");
        assertEquals(List.of(), active());
        assertTrue(is("Complete"));
        assertEquals(3, cluster.names(PODS).size());
    }

    @Test
    void withoutNumbersItIsOnePod() {
        make("");
        assertEquals(1, active().size());
        ObjectNode pod = cluster.list(PODS).getFirst();
        assertTrue(Json.text(pod, "metadata", "name").matches("j-[a-z0-9]{5}"), pod::toString);
        assertEquals("j", Json.text(pod, "metadata", "labels", "job-name"));
        assertEquals(
                Json.text(cluster.get(J), "metadata", "uid"),
                Owners.controller(pod, Kinds.JOBS).orElse(""));
        end("Succeeded");
        assertTrue(is("Complete"));
    }

    @Test
    void aPodThatFailedIsReplacedUntilTooManyHave() {
        make("'backoffLimit':1,");
        end("Failed");
        assertEquals(1, active().size());
        assertFalse(is("Failed"));
        end("Failed");
        assertEquals(List.of(), active());
        assertEquals(2, status("failed"));
        assertTrue(is("Failed"));
    }

    @Test
    void whenItHasFailedItsOtherPodsGo() {
        make("'parallelism':2,'completions':2,'backoffLimit':0,");
        bindAll();
        end("Failed");
        assertTrue(is("FailureTarget"));
        assertFalse(is("Failed"));
        assertEquals(List.of(), active());
        String last = cluster.list(PODS).stream()
                .filter(Owners::isDeleting)
                .map(pod -> Json.text(pod, "metadata", "name"))
                .findFirst()
                .orElseThrow();
        delete(last, "{'gracePeriodSeconds':0}");
        assertTrue(is("Failed"));
    }

    /** E10: an evicted pod is one failure, counted once, whatever becomes of it afterwards. */
    @Test
    void aPodThatIsDeletedIsReplacedAtOnceAndIsOneFailure() {
        make("");
        bindAll();
        String old = active().getFirst();
        delete(old, "{}");
        assertEquals(1, active().size());
        assertEquals(1, status("failed"));
        assertEquals(1, status("terminating"));
        cluster.setPhase(old, "Failed");
        delete(old, "{'gracePeriodSeconds':0}");
        assertFalse(cluster.exists(PODS + "/" + old));
        assertEquals(1, status("failed"));
        assertEquals(0, status("terminating"));
    }

    @Test
    void withReplacementOfTheFailedAPodThatLeavesKeepsItsPlaceUntilItHasEnded() {
        make("'podReplacementPolicy':'Failed',");
        bindAll();
        String old = active().getFirst();
        delete(old, "{}");
        assertEquals(List.of(), active());
        assertEquals(0, status("failed"));
        cluster.setPhase(old, "Failed");
        assertEquals(1, active().size());
        assertEquals(1, status("failed"));
    }

    @Test
    void ofAQueueOfWorkNoPodIsReplacedOnceOneHasSucceeded() {
        make("'parallelism':2,");
        assertEquals(2, active().size());
        end("Succeeded");
        assertEquals(1, active().size());
        assertFalse(is("Complete"));
        end("Succeeded");
        assertTrue(is("Complete"));
    }

    @Test
    void parallelismMayBeChangedAndTheTemplateNot() {
        make("'parallelism':3,'completions':9,");
        cluster.ok(ApiRequest.mergePatch(J, json("{'spec':{'parallelism':1}}")));
        assertEquals(1, active().size());
        String message = cluster.refused(
                422,
                ApiRequest.mergePatch(
                        J, json("{'spec':{'template':{'metadata':{'labels':{'a':'b'}}}}}")));
        assertTrue(message.contains("only these fields may change: parallelism"), message);
    }

    @Test
    void aPodOutlivesADeletedJobUnlessItIsAskedToGo() {
        make("");
        cluster.ok(ApiRequest.delete(J, json("{}")));
        assertEquals(1, active().size());
        assertFalse(Json.isPresent(cluster.list(PODS).getFirst(), "metadata", "finalizers"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Background", "Foreground"})
    void itsPodsGoWithItWhenThatIsAskedFor(String propagation) {
        make("'parallelism':2,'completions':2,");
        cluster.ok(ApiRequest.delete(J, json("{'propagationPolicy':'%s'}".formatted(propagation))));
        assertEquals(List.of(), cluster.names(PODS));
        assertFalse(cluster.exists(J));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'ttlSecondsAfterFinished':1,",
                "'podFailurePolicy':{'rules':[]},",
                "'completionMode':'Indexed',",
                "'suspend':true,"
            })
    void whatThisServerCannotDoForAJobIsRefused(String field) {
        cluster.refused(422, ApiRequest.post(JOBS, job(field)));
    }

    @Test
    void aJobWhosePodsWouldStartAgainForEverIsInvalid() {
        ObjectNode sent = job("");
        Json.child(sent, "spec", "template", "spec").put("restartPolicy", "Always");
        String message = cluster.refused(422, ApiRequest.post(JOBS, sent));
        assertTrue(message.contains("valid values: \"OnFailure\", \"Never\""), message);
    }
}
