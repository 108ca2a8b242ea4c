package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** An ordinary kubectl against the stand-in. */
@Timeout(240)
class KubectlIT {

    /** Older ones ask for discovery documents that are not served here. */
    private static final int OLDEST_MINOR = 27;

    private static final String MANIFEST = """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata:
              name: high
            value: 1000
            preemptionPolicy: PreemptLowerPriority
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              replicas: 2
              selector:
                matchLabels:
                  app: web
              template:
                metadata:
                  labels:
                    app: web
                spec:
                  schedulerName: volcano
                  priorityClassName: high
                  containers:
                  - name: main
                    image: none
                    resources:
                      limits:
                        volcano.sh/gpu-mem.128Mi: 64
            """;

    @TempDir
    Path folder;

    private ApiServer server;
    private Path manifest;

    @BeforeEach
    void start() throws IOException, InterruptedException {
        server = ApiServer.start(ApiServerOptions.defaults());
        server.writeKubeconfig(folder.resolve("kubeconfig"));
        manifest = Files.writeString(folder.resolve("manifest.yaml"), MANIFEST);
        assumeTrue(hasKubectl(), "kubectl 1." + OLDEST_MINOR + " or newer is not on the PATH");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private record Ran(int code, String output) {}

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("kubectl"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private Ran run(String... arguments) throws IOException, InterruptedException {
        Process process = start(arguments);
        try {
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(
                    process.waitFor(60, TimeUnit.SECONDS),
                    () -> List.of(arguments) + " did not end");
            return new Ran(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    private String kubectl(String... arguments) throws IOException, InterruptedException {
        Ran ran = run(arguments);
        assertEquals(0, ran.code(), () -> String.join(" ", arguments) + ": " + ran.output());
        return ran.output();
    }

    private boolean hasKubectl() throws InterruptedException {
        try {
            String version = run("version", "--client").output();
            Matcher minor = Pattern.compile("v1\\.(\\d+)\\.").matcher(version);
            return minor.find() && Integer.parseInt(minor.group(1)) >= OLDEST_MINOR;
        } catch (IOException e) {
            return false;
        }
    }

    /** Cells of the lines after the head. */
    private static List<List<String>> rows(String table) {
        return table.lines()
                .skip(1)
                .map(line -> List.of(line.strip().split("\\s{2,}")))
                .toList();
    }

    @Test
    void appliesShowsAndDeletesAManifest() throws IOException, InterruptedException {
        assertEquals(
                List.of(
                        "priorityclass.scheduling.k8s.io/high created",
                        "deployment.apps/web created"),
                kubectl("apply", "-f", manifest.toString()).lines().toList());
        assertEquals(
                List.of(
                        "priorityclass.scheduling.k8s.io/high unchanged",
                        "deployment.apps/web unchanged"),
                kubectl("apply", "-f", manifest.toString()).lines().toList());

        String pods = kubectl("get", "pods", "-o", "wide");
        assertTrue(pods.lines().findFirst().orElseThrow().contains("NOMINATED NODE"), pods);
        assertEquals(2, rows(pods).size());
        assertEquals(List.of("0/1", "Pending", "0"), rows(pods).getFirst().subList(1, 4));
        assertEquals("0/2", rows(kubectl("get", "deploy")).getFirst().get(1));
        assertTrue(kubectl("describe", "pod", rows(pods).getFirst().getFirst())
                .contains("Priority Class Name:  high"));

        kubectl("delete", "-f", manifest.toString());
        assertTrue(kubectl("get", "pods").contains("No resources found"));
    }

    @Test
    void aChangedManifestIsPatched() throws IOException, InterruptedException {
        kubectl("apply", "-f", manifest.toString());
        Files.writeString(manifest, MANIFEST.replace("replicas: 2", "replicas: 3"));
        assertTrue(kubectl("apply", "-f", manifest.toString())
                .contains("deployment.apps/web configured"));
        assertEquals(3, rows(kubectl("get", "pods")).size());
        kubectl("scale", "deployment", "web", "--replicas=1");
        assertEquals(1, rows(kubectl("get", "pods", "-l", "app=web")).size());
    }

    /** The name of one of the manifest's pods. */
    private String applied() throws IOException, InterruptedException {
        kubectl("apply", "-f", manifest.toString());
        return rows(kubectl("get", "pods")).getFirst().getFirst();
    }

    private ObjectNode ask(ApiRequest request) {
        ApiReply reply = server.handle(request);
        assertTrue(reply.isSuccess(), reply::toString);
        return (ObjectNode) reply.body();
    }

    private void bind(String pod) {
        ask(ApiRequest.post(
                CoreFixture.PODS + "/" + pod + "/binding", CoreFixture.binding(pod, "n1", "")));
    }

    private void event(String pod, String reason, String message) {
        ObjectNode about = ask(ApiRequest.get(CoreFixture.PODS + "/" + pod));
        ask(ApiRequest.post(
                "/api/v1/namespaces/default/events",
                CoreFixture.json(("{'metadata':{'name':'e'},'type':'Warning','reason':'%s',"
                                + "'message':'%s','involvedObject':{'kind':'Pod','name':'%s',"
                                + "'namespace':'default','uid':'%s'},"
                                + "'lastTimestamp':'2030-01-01T00:00:00Z'}")
                        .formatted(reason, message, pod, Json.text(about, "metadata", "uid")))));
    }

    @Test
    void aPodThatWaitsIsDescribedWithItsReasonAndANodeWithItsPods()
            throws IOException, InterruptedException {
        String pod = applied();
        event(pod, "FailedScheduling", "finds no room for 64 units");
        assertTrue(
                Pattern.compile("FailedScheduling .*finds no room for 64 units")
                        .matcher(kubectl("describe", "pod", pod))
                        .find(),
                () -> "no reason of " + pod);
        ask(ApiRequest.post(
                "/api/v1/nodes",
                CoreFixture.json("{'metadata':{'name':'n1'},'status':{'allocatable':"
                        + "{'volcano.sh/gpu-mem.128Mi':'64'}}}")));
        bind(pod);
        String node = kubectl("describe", "node", "n1");
        assertTrue(node.contains(pod), node);
        assertTrue(Pattern.compile("gpu-mem.128Mi +64 +64").matcher(node).find(), node);
    }

    @Test
    void aWatchShowsWhatBecomesOfAPod() throws IOException, InterruptedException {
        String pod = applied();
        Process watch = start("get", "pods", "-w");
        try (BufferedReader lines = watch.inputReader(StandardCharsets.UTF_8)) {
            awaitStatus(lines, pod, "Pending");
            bind(pod);
            ask(ApiRequest.mergePatch(
                    CoreFixture.PODS + "/" + pod + "/status",
                    CoreFixture.json("{'status':{'phase':'Running'}}")));
            awaitStatus(lines, pod, "Running");
            ask(ApiRequest.delete(CoreFixture.PODS + "/" + pod, Json.newObject()));
            awaitStatus(lines, pod, "Terminating");
        } finally {
            watch.destroyForcibly();
        }
    }

    private static void awaitStatus(BufferedReader lines, String pod, String status)
            throws IOException {
        String line = lines.readLine();
        while (line != null && !(line.startsWith(pod) && line.contains(" " + status + " "))) {
            line = lines.readLine();
        }
        assertTrue(line != null, () -> "the watch ended before " + status);
    }

    @Test
    void aPodOfANodeIsTerminatingUntilItIsForced() throws IOException, InterruptedException {
        String pod = applied();
        bind(pod);
        kubectl("delete", "pod", pod, "--wait=false");
        assertEquals("Terminating", rows(kubectl("get", "pod", pod)).getFirst().get(2));
        kubectl("delete", "pod", pod, "--grace-period=0", "--force");
        Ran gone = run("get", "pod", pod);
        assertEquals(1, gone.code());
        assertEquals(
                "Error from server (NotFound): pods \"" + pod + "\" not found",
                gone.output().strip());
    }

    @Test
    void eventsAreListedWithTheirReason() throws IOException, InterruptedException {
        String pod = applied();
        event(pod, "Preempted", "m");
        List<String> row = rows(kubectl("get", "events")).getFirst();
        assertEquals(List.of("Warning", "Preempted", "pod/" + pod, "m"), row.subList(1, 5));
    }
}
