package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What becomes of a new pod before anybody sees it. */
abstract class AdmissionContract extends ApiServerContract {

    private static final String CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
    private static final String MEMORY = "volcano.sh/gpu-mem.128Mi";
    private static final String CORE = "volcano.sh/gpu-core.percentage";

    AdmissionContract(Supplier<KubernetesClient> server) {
        super(server);
    }

    private ObjectNode created(String spec) {
        return ok(ApiRequest.post(pods, newPod(spec)));
    }

    @Test
    void aNewPodIsPendingWithTheDefaultsTheRulesSpeakOf() {
        ObjectNode sent = newPod("");
        Json.child(sent, "spec").remove("schedulerName");
        Json.child(sent, "spec").putArray("schedulingGates").addObject().put("name", "g.org/g");
        sent.putObject("status").put("phase", "Running").put("nominatedNodeName", "n");
        ObjectNode pod = ok(ApiRequest.post(pods, sent));
        assertEquals("Pending", Json.text(pod, "status", "phase"));
        assertEquals("", Json.text(pod, "status", "nominatedNodeName"));
        assertEquals("BestEffort", Json.text(pod, "status", "qosClass"));
        assertEquals("default-scheduler", Json.text(pod, "spec", "schedulerName"));
        assertEquals("Always", Json.text(pod, "spec", "restartPolicy"));
        assertEquals(30, Json.number(-1, pod, "spec", "terminationGracePeriodSeconds"));
        assertEquals(1, Json.number(-1, pod, "metadata", "generation"));
    }

    @Test
    void aNewPodToleratesALostNodeForFiveMinutes() {
        ObjectNode pod = created(
                ",'tolerations':[{'key':'node.kubernetes.io/unreachable','operator':'Exists',"
                        + "'effect':'NoExecute','tolerationSeconds':7}]");
        Map<String, Long> seconds = Json.objects(pod, "spec", "tolerations").stream()
                .filter(toleration -> Json.text(toleration, "effect").equals("NoExecute"))
                .collect(Collectors.toMap(
                        toleration -> Json.text(toleration, "key"),
                        toleration -> Json.number(-1, toleration, "tolerationSeconds")));
        assertEquals(
                Map.of(
                        "node.kubernetes.io/unreachable", 7L,
                        "node.kubernetes.io/not-ready", 300L),
                seconds);
    }

    // Priority

    @Test
    void priorityAndPreemptionPolicyComeFromTheClass() {
        String name = namespace + "-high";
        ok(ApiRequest.post(
                CLASSES,
                CoreFixture.json(
                        "{'metadata':{'name':'%s'},'value':1000,'preemptionPolicy':'Never'}"
                                .formatted(name))));
        try {
            ObjectNode pod = created(",'priorityClassName':'" + name + "'");
            assertEquals(1000, Json.number(-1, pod, "spec", "priority"));
            assertEquals("Never", Json.text(pod, "spec", "preemptionPolicy"));
        } finally {
            ok(ApiRequest.delete(CLASSES + "/" + name, Json.newObject()));
        }
    }

    @Test
    void theClassesOfTheSystemAreThere() {
        ObjectNode pod = created(",'priorityClassName':'system-node-critical'");
        assertEquals(2_000_001_000, Json.number(-1, pod, "spec", "priority"));
        assertEquals("PreemptLowerPriority", Json.text(pod, "spec", "preemptionPolicy"));
    }

    @Test
    void anUnknownClassAndAPriorityOfOnesOwnAreForbidden() {
        refused(403, FORBIDDEN, ApiRequest.post(pods, newPod(",'priorityClassName':'nope'")));
        refused(403, FORBIDDEN, ApiRequest.post(pods, newPod(",'priority':5")));
        long usual = Json.number(-1, createPod(), "spec", "priority");
        created(",'priority':" + usual);
    }

    // Extended resources

    /** {@code resources} with the short words MEM and CORE. */
    private ApiRequest asking(String resources) {
        ObjectNode pod = newPod("");
        Json.objects(pod, "spec", "containers")
                .getFirst()
                .set(
                        "resources",
                        CoreFixture.json(resources.replace("MEM", MEMORY).replace("CORE", CORE)));
        return ApiRequest.post(pods, pod);
    }

    private Map<String, String> of(ObjectNode pod, String list) {
        return Json.strings(Json.objects(pod, "spec", "containers").getFirst(), "resources", list);
    }

    @Test
    void limitsAreCopiedIntoTheRequestsThatAreLeftOut() {
        ObjectNode pod = ok(asking("{'limits':{'MEM':64,'CORE':25},'requests':{'MEM':'64'}}"));
        assertEquals(Map.of(MEMORY, "64", CORE, "25"), of(pod, "limits"));
        assertEquals(Map.of(MEMORY, "64", CORE, "25"), of(pod, "requests"));
    }

    /** Not as they were written: whole thousands come back with a suffix. */
    @ParameterizedTest
    @CsvSource({
        "999, 999",
        "1000, 1k",
        "1100, 1100",
        "1024, 1024",
        "16000, 16k",
        "16384, 16384",
        "1000000, 1M",
        "64.0, 64",
        "064, 064",
        "+64, +64",
        "64000m, 64",
        "1k, 1k",
        "0.5k, 500",
        "2Ki, 2Ki",
        "2048Ki, 2Mi",
        "1500Ki, 1500Ki",
        "1e3, 1e3",
        "1000e0, 1e3",
        "12e2, 1200",
        "0, 0",
        "9223372036854775807, 9223372036854775807"
    })
    void amountsComeBackInTheirCanonicalForm(String written, String read) {
        ObjectNode pod = ok(asking("{'limits':{'MEM':'%s'}}".formatted(written)));
        assertEquals(Map.of(MEMORY, read), of(pod, "limits"));
        assertEquals(Map.of(MEMORY, read), of(pod, "requests"));
    }

    /** B55: the server refuses some bad requests itself, each with its own sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'limits':{'MEM':'1.5'}} | .limits[volcano.sh/gpu-mem.128Mi]",
                "{'limits':{'MEM':'1500m'}} | must be an integer",
                "{'limits':{'MEM':'-1'}} | must be greater than or equal to 0",
                "{'limits':{'MEM':'4'},'requests':{'MEM':'2'}} | must be equal to",
                "{'limits':{'MEM':'4'},'requests':{'MEM':'8'}} | must be equal to",
                "{'requests':{'MEM':'2'}} | .limits: Required value",
                "{'limits':{'cpu':'1'},'requests':{'cpu':'2'}} | must be less than or equal to"
            })
    void whatIsNoWholeAmountOrNotTheSameTwiceIsInvalid(String resources, String words) {
        ApiReply reply = ask(asking(resources));
        assertEquals(422, reply.code(), reply::toString);
        assertEquals(INVALID, Json.text(reply.body(), "reason"));
        String message = Json.text(reply.body(), "message");
        assertTrue(message.contains("spec.containers[0].resources"), message);
        assertTrue(message.contains(words), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "", "1 k", "0x10", "1,5"})
    void whatIsNoAmountIsABadRequest(String text) {
        refused(400, "BadRequest", asking("{'limits':{'MEM':'%s'}}".formatted(text)));
    }

    // Gates

    @Test
    void gatesAreSetWithThePodAndOnlyRemovedLater() {
        ObjectNode pod =
                created(",'schedulingGates':[{'name':'example.org/a'},{'name':'example.org/b'}]");
        assertEquals("False", Json.text(condition(pod, "PodScheduled"), "status"));
        refused(422, INVALID, gates(pod, List.of("example.org/a", "example.org/c")));
        ok(gates(pod, List.of("example.org/b")));
        Set<String> left = Json.objects(again(pod), "spec", "schedulingGates").stream()
                .map(gate -> Json.text(gate, "name"))
                .collect(Collectors.toSet());
        assertEquals(Set.of("example.org/b"), left);
        ok(gates(pod, List.of()));
        refused(422, INVALID, gates(pod, List.of("example.org/a")));
    }

    private ApiRequest gates(ObjectNode pod, List<String> names) {
        String gates = names.stream()
                .map("{'name':'%s'}"::formatted)
                .collect(Collectors.joining(",", "[", "]"));
        return ApiRequest.mergePatch(
                path(pod), CoreFixture.json("{'spec':{'schedulingGates':" + gates + "}}"));
    }
}
