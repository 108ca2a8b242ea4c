package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class PodAdmissionTest {

    private static final String CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
    private static final String MEMORY = "volcano.sh/gpu-mem.128Mi";

    private final CoreFixture cluster = new CoreFixture();

    private static ObjectNode podWith(String spec) {
        return json("{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]%s}}"
                .formatted(spec));
    }

    private static ObjectNode podAsking(String resources) {
        return json(
                "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','resources':%s}]}}"
                        .formatted(resources.replace("MEM", MEMORY)));
    }

    @Test
    void aNewPodIsPendingWithTheDefaultsOfARealServer() {
        ObjectNode pod = cluster.ok(ApiRequest.post(PODS, podWith("")));
        assertEquals("Pending", Json.text(pod, "status", "phase"));
        assertEquals("BestEffort", Json.text(pod, "status", "qosClass"));
        assertEquals("Always", Json.text(pod, "spec", "restartPolicy"));
        assertEquals(30, Json.number(0, pod, "spec", "terminationGracePeriodSeconds"));
        assertEquals("default-scheduler", Json.text(pod, "spec", "schedulerName"));
        assertEquals("2030-01-01T00:00:00Z", Json.text(pod, "metadata", "creationTimestamp"));
        assertEquals(1, Json.number(0, pod, "metadata", "generation"));
    }

    @Test
    void aStatusSentWithANewPodIsDropped() {
        ObjectNode sent = podWith("");
        sent.putObject("status").put("phase", "Running").put("nominatedNodeName", "n");
        ObjectNode pod = cluster.ok(ApiRequest.post(PODS, sent));
        assertEquals("Pending", Json.text(pod, "status", "phase"));
        assertEquals("", Json.text(pod, "status", "nominatedNodeName"));
    }

    @Test
    void limitsAloneBecomeTheRequestsAndNumbersBecomeText() {
        ObjectNode pod =
                cluster.ok(ApiRequest.post(PODS, podAsking("{'limits':{'MEM':64,'cpu':'1'}}")));
        ObjectNode container = Json.objects(pod, "spec", "containers").getFirst();
        assertEquals(
                "\"64\"", Json.at(container, "resources", "requests", MEMORY).toString());
        assertEquals("\"64\"", Json.at(container, "resources", "limits", MEMORY).toString());
        assertEquals("1", Json.text(container, "resources", "requests", "cpu"));
    }

    /** B55: the server refuses some bad requests itself, each with its own sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'limits':{'MEM':'1500m'}} | limits[volcano.sh/gpu-mem.128Mi]: Invalid value: \"\"1.500\"\": must be an integer",
                "{'limits':{'MEM':'-1'}} | Invalid value: \"\"-1\"\": must be greater than or equal to 0",
                "{'limits':{'MEM':'4'},'requests':{'MEM':'2'}} | requests: Invalid value: \"\"2\"\": must be equal to volcano.sh/gpu-mem.128Mi limit of 4",
                "{'requests':{'MEM':'2'}} | limits: Required value: Limit must be set for non overcommitable resources",
                "{'limits':{'cpu':'1'},'requests':{'cpu':'2'}} | must be less than or equal to cpu limit of 1"
            })
    void badResourcesAreInvalid(String resources, String sentence) {
        String message = cluster.refused(422, ApiRequest.post(PODS, podAsking(resources)));
        String expected = sentence.replace("\"\"", "\"");
        assertTrue(
                message.startsWith("Pod \"p\" is invalid: spec.containers[0].resources"), message);
        assertTrue(message.contains(expected), message);
    }

    @Test
    void aQuantityThatIsNoneIsABadRequest() {
        cluster.refused(400, ApiRequest.post(PODS, podAsking("{'limits':{'MEM':'many'}}")));
    }

    @ParameterizedTest
    @CsvSource({
        "64,64",
        "0.5,0.5",
        "500m,0.5",
        "1Ki,1024",
        "2k,2000",
        "1e3,1000",
        "1.5Gi,1610612736"
    })
    void quantities(String text, String value) {
        assertEquals(0, Quantities.parse(text).compareTo(new java.math.BigDecimal(value)));
    }

    @Test
    void priorityComesFromTheClass() {
        cluster.ok(ApiRequest.post(
                CLASSES,
                json("{'metadata':{'name':'high'},'value':1000," + "'preemptionPolicy':'Never'}")));
        ObjectNode pod = cluster.ok(ApiRequest.post(PODS, podWith(",'priorityClassName':'high'")));
        assertEquals(1000, Json.number(0, pod, "spec", "priority"));
        assertEquals("Never", Json.text(pod, "spec", "preemptionPolicy"));
    }

    @Test
    void withoutAClassPriorityIsThatOfTheGlobalDefaultOrZero() {
        ObjectNode plain = cluster.createPod("a");
        assertEquals(0, Json.number(-1, plain, "spec", "priority"));
        assertEquals("PreemptLowerPriority", Json.text(plain, "spec", "preemptionPolicy"));
        cluster.ok(ApiRequest.post(
                CLASSES, json("{'metadata':{'name':'usual'},'value':7,'globalDefault':true}")));
        ObjectNode later = cluster.createPod("b");
        assertEquals(7, Json.number(-1, later, "spec", "priority"));
        assertEquals("usual", Json.text(later, "spec", "priorityClassName"));
    }

    @Test
    void theBuiltInClassesExist() {
        ObjectNode pod = cluster.ok(
                ApiRequest.post(PODS, podWith(",'priorityClassName':'system-node-critical'")));
        assertEquals(2_000_001_000, Json.number(0, pod, "spec", "priority"));
    }

    @Test
    void anUnknownClassAndAPriorityOfOnesOwnAreForbidden() {
        assertEquals(
                "pods \"p\" is forbidden: no PriorityClass with name nope was found",
                cluster.refused(
                        403, ApiRequest.post(PODS, podWith(",'priorityClassName':'nope'"))));
        cluster.refused(403, ApiRequest.post(PODS, podWith(",'priority':5")));
        cluster.ok(ApiRequest.post(PODS, podWith(",'priority':0")));
    }

    @Test
    void aPodNeedsANamespaceAServiceAccountAndAName() {
        String elsewhere = "/api/v1/namespaces/nowhere/pods";
        assertEquals(
                "namespaces \"nowhere\" not found",
                cluster.refused(404, ApiRequest.post(elsewhere, podWith(""))));
        cluster.refused(403, ApiRequest.post(PODS, podWith(",'serviceAccountName':'nobody'")));
        cluster.refused(422, ApiRequest.post(PODS, json("{'spec':{}}")));
        cluster.refused(422, ApiRequest.post(PODS, json(CoreFixture.podText("Upper"))));
    }

    @Test
    void generatedNamesEndInFiveLettersAndAreFree() {
        ObjectNode sent = json(
                "{'metadata':{'generateName':'p-'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        String name = Json.text(cluster.ok(ApiRequest.post(PODS, sent)), "metadata", "name");
        assertTrue(name.matches("p-[a-z0-9]{5}"), name);
    }

    @Test
    void aSecondPodOfTheSameNameIsRefused() {
        cluster.createPod("p");
        assertEquals(
                "pods \"p\" already exists",
                cluster.refused(409, ApiRequest.post(PODS, podWith(""))));
    }
}
