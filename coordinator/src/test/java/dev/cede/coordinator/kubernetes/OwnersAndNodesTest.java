package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.Taint;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnersAndNodesTest {
    private static final String META = "metadata: {namespace: ns, name: o, uid: u}\n";

    private static <T> T parse(Class<T> type, String rest) {
        return new KubernetesSerialization().unmarshal(META + rest, type);
    }

    @Test
    void aNodeIsReadWithCpuInMilli() {
        NodeFacts node = NodeFactsReader.read(parse(Node.class, """
                spec:
                  unschedulable: true
                  taints: [{key: t, effect: NoSchedule}]
                status:
                  allocatable: {cpu: "4", memory: 1Gi, pods: 110, volcano.sh/gpu-mem.128Mi: 0}
                  conditions: [{type: Ready, status: "True"}]
                """));
        assertEquals(
                new NodeFacts(
                        "o",
                        "u",
                        true,
                        true,
                        Map.of(),
                        List.of(new Taint("t", "", "NoSchedule")),
                        Map.of(
                                "cpu", 4000L,
                                "memory", 1L << 30,
                                "pods", 110L,
                                "volcano.sh/gpu-mem.128Mi", 0L),
                        true),
                node);
    }

    @Test
    void aNodeWithoutStatusIsNotReadyAndListsNoShares() {
        NodeFacts node = NodeFactsReader.read(parse(Node.class, ""));
        assertEquals(
                new NodeFacts("o", "u", false, false, Map.of(), List.of(), Map.of(), false), node);
    }

    @Test
    void aReplicaSetAsksForItsReplicas() {
        assertEquals(
                3,
                OwnerFactsReader.read(parse(ReplicaSet.class, "spec: {replicas: 3}"))
                        .replicas());
        assertEquals(
                1, OwnerFactsReader.read(parse(ReplicaSet.class, "spec: {}")).replicas());
    }

    /** E1: an ordered StatefulSet is single pods. */
    @Test
    void onlyAParallelStatefulSetHasASize() {
        String parallel = "spec: {replicas: 4, podManagementPolicy: Parallel}";
        assertEquals(
                4, OwnerFactsReader.read(parse(StatefulSet.class, parallel)).replicas());
        assertEquals(
                -1,
                OwnerFactsReader.read(parse(StatefulSet.class, "spec: {replicas: 4}"))
                        .replicas());
    }

    @Test
    void aJobAsksForItsParallelismButNotForMoreThanIsLeft() {
        assertEquals(1, OwnerFactsReader.read(parse(Job.class, "spec: {}")).replicas());
        assertEquals(
                5,
                OwnerFactsReader.read(parse(Job.class, "spec: {parallelism: 5}"))
                        .replicas());
        String nearlyDone = "spec: {parallelism: 5, completions: 6}\nstatus: {succeeded: 4}";
        assertEquals(2, OwnerFactsReader.read(parse(Job.class, nearlyDone)).replicas());
    }
}
