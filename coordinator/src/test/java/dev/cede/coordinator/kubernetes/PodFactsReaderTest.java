package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.ContainerFacts.Kind;
import dev.cede.coordinator.cluster.NodeNeeds.Toleration;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodFactsReaderTest {
    private static final String META = """
            metadata:
              namespace: ns
              name: p
              uid: u1
              resourceVersion: "7"
              creationTimestamp: "2026-01-02T03:04:05Z"
            """;

    private static PodFacts read(String rest) {
        return PodFactsReader.read(new KubernetesSerialization().unmarshal(META + rest, Pod.class));
    }

    @Test
    void aBarePodHasTheDefaultsOfTheApiServer() {
        PodFacts pod = read("spec:\n  containers:\n  - name: c\n");
        assertEquals(new PodRef("ns", "p", "u1"), pod.ref());
        assertEquals("7", pod.resourceVersion());
        assertEquals("default-scheduler", pod.schedulerName());
        assertEquals(0, pod.priority(), "C1");
        assertEquals(Duration.ofSeconds(30), pod.grace());
        assertEquals(PodPhase.PENDING, pod.phase());
        assertEquals(Instant.parse("2026-01-02T03:04:05Z"), pod.created());
        assertEquals(Optional.empty(), pod.nodeName());
        assertFalse(pod.terminating() || pod.mirror() || pod.gated() || pod.neverPreempts());
        assertEquals(Map.of(), pod.requests());
    }

    @Test
    void asksAreReadForEachKindOfContainer() {
        PodFacts pod = read("""
                spec:
                  initContainers:
                  - name: first
                  - name: side
                    restartPolicy: Always
                    resources: {limits: {volcano.sh/gpu-mem.128Mi: 1k}}
                  containers:
                  - name: main
                    resources:
                      limits: {volcano.sh/gpu-mem.128Mi: 64, volcano.sh/gpu-core.percentage: "50"}
                      requests: {volcano.sh/gpu-mem.128Mi: 32}
                  - name: whole
                    resources: {limits: {nvidia.com/gpu: 2}}
                """);
        assertEquals(
                List.of(
                        new ContainerFacts("first", Kind.INIT, "", "", "", "", ""),
                        new ContainerFacts("side", Kind.SIDECAR, "1000", "", "", "", ""),
                        new ContainerFacts("main", Kind.APP, "64", "32", "50", "", ""),
                        new ContainerFacts("whole", Kind.APP, "", "", "", "", "2")),
                pod.containers());
    }

    /** As a real API server answers what was written as 1000, 16000, 2048 and so on. */
    @ParameterizedTest
    @CsvSource({
        "64, 64",
        "1k, 1000",
        "16k, 16000",
        "1100, 1100",
        "1M, 1000000",
        "2Ki, 2048",
        "1e3, 1000",
        "064, 64",
        "0, 0",
        "500m, 500m"
    })
    void wholeAmountsAreReadAsPlainNumbers(String answered, String amount) {
        PodFacts pod = read("""
                spec:
                  containers:
                  - name: c
                    resources: {limits: {volcano.sh/gpu-mem.128Mi: "%s"}}
                """.formatted(answered));
        assertEquals(amount, pod.containers().getFirst().memory());
    }

    @Test
    void whatIsKnownOfALeavingPodIsRead() {
        PodFacts pod = read("""
                  deletionTimestamp: "2026-01-02T04:00:00+01:00"
                  labels: {volcano.sh/gpu-num: "2"}
                  annotations:
                    kubernetes.io/config.mirror: x
                    volcano.sh/preemptable: "false"
                    other: dropped
                  ownerReferences:
                  - {kind: Other, name: o, uid: ou, apiVersion: v1}
                  - {kind: ReplicaSet, name: r, uid: ru, apiVersion: apps/v1, controller: true}
                spec:
                  nodeName: n1
                  schedulerName: volcano
                  priority: -5
                  priorityClassName: low
                  preemptionPolicy: Never
                  terminationGracePeriodSeconds: 5
                  schedulingGates: [{name: g}]
                  containers: [{name: c}]
                status:
                  phase: Failed
                  reason: UnexpectedAdmissionError
                  nominatedNodeName: n2
                  startTime: "2026-01-02T03:05:00Z"
                  conditions:
                  - {type: PodScheduled, status: "False", message: why}
                """);
        assertEquals(Optional.of(Instant.parse("2026-01-02T03:00:00Z")), pod.deletionTimestamp());
        assertTrue(pod.mirror() && pod.gated() && pod.neverPreempts() && pod.finished());
        assertEquals(Map.of("volcano.sh/preemptable", "false"), pod.annotations());
        assertEquals(Map.of("volcano.sh/gpu-num", "2"), pod.labels());
        assertEquals(Optional.of(new OwnerRef("ReplicaSet", "r", "ru")), pod.owner());
        assertEquals(Optional.of("n1"), pod.nodeName());
        assertEquals(Optional.of("n2"), pod.nominatedNode());
        assertEquals(-5, pod.priority());
        assertEquals("low", pod.priorityClass());
        assertEquals(Duration.ofSeconds(5), pod.grace());
        assertEquals("UnexpectedAdmissionError", pod.statusReason());
        assertEquals(Optional.of(Instant.parse("2026-01-02T03:05:00Z")), pod.started());
        assertEquals("why", pod.scheduledMessage());
    }

    @Test
    void sidecarsAddUpWithContainersAndWithTheInitContainersAfterThem() {
        PodFacts pod = read("""
                spec:
                  initContainers:
                  - name: before
                    resources: {requests: {cpu: "3", memory: 100}}
                  - name: side
                    restartPolicy: Always
                    resources: {requests: {cpu: 500m, memory: 1Ki}}
                  - name: after
                    resources: {requests: {cpu: "2800m", memory: 10}}
                  containers:
                  - name: a
                    resources: {requests: {cpu: "1", memory: 1000, example.com/x: 2}}
                  - name: b
                    resources: {requests: {cpu: 250m, memory: 1000, example.com/x: 1}}
                """);
        // cpu: 2800m + 500m of the sidecar; memory: 1000 + 1000 + 1024.
        assertEquals(Map.of("cpu", 3300L, "memory", 3024L, "example.com/x", 3L), pod.requests());
    }

    @Test
    void podLevelRequestsReplaceOnlyComputedResourcesAndOverheadIsAdded() {
        PodFacts pod = read("""
                spec:
                  resources: {requests: {cpu: "2", memory: 50, example.com/x: 9}}
                  overhead: {cpu: 100m}
                  containers:
                  - name: a
                    resources:
                      requests:
                        cpu: "1"
                        memory: 1000
                        example.com/x: 2
                        volcano.sh/gpu-mem.128Mi: 64
                        volcano.sh/gpu-core.percentage: 50
                """);
        assertEquals(Map.of("cpu", 2100L, "memory", 50L, "example.com/x", 2L), pod.requests());
    }

    @Test
    void aShrunkContainerCountsWithWhatItStillHas() {
        String pod = """
                spec:
                  containers:
                  - name: a
                    resources: {requests: {cpu: %s}}
                status:
                  conditions: [%s]
                  containerStatuses:
                  - {name: a, allocatedResources: {cpu: "2"}, image: i, imageID: i, ready: true,
                     restartCount: 0}
                """;
        assertEquals(Map.of("cpu", 2000L), read(pod.formatted("\"1\"", "")).requests());
        assertEquals(Map.of("cpu", 3000L), read(pod.formatted("\"3\"", "")).requests());
        String infeasible = "{type: PodResizePending, status: \"True\", reason: Infeasible}";
        assertEquals(
                Map.of("cpu", 2000L), read(pod.formatted("\"3\"", infeasible)).requests());
    }

    @Test
    void F6_aStatusWithAnEntryForEachUnitIsNoticedAndNotKept() {
        String pod = """
                spec: {containers: [{name: a}]}
                status:
                  containerStatuses:
                  - {name: a, image: i, imageID: i, ready: true, restartCount: 0,
                     allocatedResourcesStatus: [{name: %s, resources: [{resourceID: x}]}]}
                """;
        assertTrue(read(pod.formatted("volcano.sh/gpu-mem.128Mi")).listsUnits());
        assertFalse(read(pod.formatted("example.com/other")).listsUnits());
    }

    @Test
    void constraintsThatCannotBeJudgedAreNamed() {
        PodFacts pod = read("""
                spec:
                  nodeSelector: {zone: a}
                  tolerations: [{key: k, effect: NoSchedule, operator: Exists}, {key: q, value: v}]
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms: []
                    podAffinity:
                      preferredDuringSchedulingIgnoredDuringExecution: []
                    podAntiAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: h}]
                  topologySpreadConstraints:
                  - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}
                  resourceClaims: [{name: r}]
                  volumes:
                  - {name: v, persistentVolumeClaim: {claimName: c}}
                  - {name: w, emptyDir: {}}
                  containers:
                  - {name: a, ports: [{containerPort: 80, hostPort: 80}]}
                """);
        assertEquals(Map.of("zone", "a"), pod.placement().nodeSelector());
        assertEquals(
                List.of(
                        new Toleration("k", "Exists", "", "NoSchedule"),
                        new Toleration("q", "Equal", "v", "")),
                pod.placement().tolerations());
        assertEquals(
                List.of(
                        "hostPort",
                        "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                        "podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                        "resourceClaims",
                        "topologySpreadConstraints with DoNotSchedule",
                        "volume persistentVolumeClaim"),
                pod.placement().unsupported());
    }

    @Test
    void preferencesRestrictNothing() {
        PodFacts pod = read("""
                spec:
                  affinity:
                    podAffinity:
                      preferredDuringSchedulingIgnoredDuringExecution:
                      - {weight: 1, podAffinityTerm: {topologyKey: h}}
                  topologySpreadConstraints:
                  - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}
                  volumes: [{name: s, secret: {secretName: x}}]
                  containers: [{name: a, ports: [{containerPort: 80}]}]
                """);
        assertEquals(List.of(), pod.placement().unsupported());
    }
}
