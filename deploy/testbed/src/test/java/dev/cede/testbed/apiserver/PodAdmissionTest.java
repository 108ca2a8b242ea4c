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

    private final CoreFixture cluster = new CoreFixture();

    private static ObjectNode podWith(String spec) {
        return json("{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]%s}}"
                .formatted(spec));
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
}
