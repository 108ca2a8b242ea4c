package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.testbed.apiserver.ApiRequest;
import dev.cede.testbed.apiserver.Disturbance;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What the watches tell of workloads, and what they tell when they break. */
class WatchesIT extends KubernetesRig {
    private static final Predicate<ApiRequest> PODS =
            request -> request.path().equals("/api/v1/pods");
    private static final Predicate<ApiRequest> POD_WATCH = PODS.and(ApiRequest::isWatch);
    private static final Predicate<ApiRequest> POD_LIST = PODS.and(POD_WATCH.negate());

    /** Of pods, as the last field of a spec. */
    private static final String TEMPLATE = """
              template:
                metadata: {labels: {app: x}}
                spec:
                  restartPolicy: %s
                  containers: [{name: c, image: i}]
            """;

    /** What was told of pods, put together, as the state machine does it. */
    private final Map<String, PodFacts> belief = new HashMap<>();

    private void watch() throws InterruptedException {
        watch = ClusterWatch.start(client, events::add);
        awaitAmongOthers(Event.CachesSynced.class);
        events.clear();
    }

    private <T extends HasMetadata> void make(Class<T> kind, String yaml) {
        client.resource(client.getKubernetesSerialization().unmarshal(yaml, kind))
                .create();
    }

    private OwnerFacts nextOwner() throws InterruptedException {
        return awaitAmongOthers(Event.OwnerSeen.class).owner();
    }

    @Test
    void E1_aParallelStatefulSetSaysHowManyPodsItAsksForAndOneInOrderDoesNot() throws Exception {
        watch();
        String set = """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: s, namespace: default}
                spec:
                  replicas: 3
                  podManagementPolicy: %s
                  selector: {matchLabels: {app: x}}
                """;
        String template = TEMPLATE.formatted("Always");
        make(StatefulSet.class, set.formatted("Parallel") + template);
        OwnerFacts parallel = nextOwner();
        assertEquals("StatefulSet", parallel.ref().kind());
        assertEquals(3, parallel.replicas());
        Pod pod = client.pods().inNamespace("default").list().getItems().getFirst();
        assertEquals(parallel.ref(), PodFactsReader.read(pod).owner().orElseThrow());
        client.apps().statefulSets().inNamespace("default").withName("s").delete();
        assertEquals(
                parallel.ref().uid(), awaitAmongOthers(Event.OwnerGone.class).uid());
        make(StatefulSet.class, set.formatted("OrderedReady") + template);
        assertEquals(-1, nextOwner().replicas());
    }

    @Test
    void E1_aJobAsksForNoMorePodsThanAreStillToBeCompleted() throws Exception {
        watch();
        make(Job.class, """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: j, namespace: default}
                spec:
                  parallelism: 2
                  completions: 3
                """ + TEMPLATE.formatted("Never"));
        assertEquals(2, nextOwner().replicas());
        for (int i = 0; i < 2; i++) {
            succeed(client.pods().inNamespace("default").list().getItems().stream()
                    .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                    .findFirst()
                    .orElseThrow());
        }
        assertEquals(1, nextOwner().replicas());
    }

    private void succeed(Pod pod) {
        client.resource(pod).editStatus(running -> {
            running.getStatus().setPhase("Succeeded");
            return running;
        });
    }

    @Test
    void E1_aGroupOfEitherKindIsTold() throws Exception {
        watch();
        for (String version :
                List.of("scheduling.volcano.sh/v1beta1", "scheduling.x-k8s.io/v1alpha1")) {
            make(GenericKubernetesResource.class, """
                    apiVersion: %s
                    kind: PodGroup
                    metadata: {name: g, namespace: default}
                    spec: {minMember: 3}
                    """.formatted(version));
        }
        assertEquals(
                List.of(GroupRef.Kind.values()),
                List.of(nextGroup(), nextGroup()).stream().sorted().toList());
    }

    private GroupRef.Kind nextGroup() throws InterruptedException {
        return awaitAmongOthers(Event.GroupSeen.class).group().ref().kind();
    }

    private void awaitBelief(Map<String, PodFacts> truth) throws InterruptedException {
        while (!belief.equals(truth)) {
            switch (awaitAmongOthers(Event.class)) {
                case Event.PodSeen seen -> belief.put(seen.pod().uid(), seen.pod());
                case Event.PodGone gone -> belief.remove(gone.pod().uid());
                default -> {}
            }
        }
    }

    private Map<String, PodFacts> truth() {
        Map<String, PodFacts> truth = new HashMap<>();
        client.pods().inAnyNamespace().list().getItems().stream()
                .map(PodFactsReader::read)
                .forEach(pod -> truth.put(pod.uid(), pod));
        return truth;
    }

    /** The store of a server that answers from a cache may be behind what was told already. */
    @Test
    void B13_afterAListFromAnOldCacheTheTruthIsTold() throws Exception {
        watch();
        PodFacts bound = PodFactsReader.read(create("bound"));
        PodFacts gone = PodFactsReader.read(create("gone"));
        String old = client.pods().inAnyNamespace().list().getMetadata().getResourceVersion();
        effects.bind(new Effect.Bind(bound, "n1", Map.of()));
        client.pods().inNamespace("default").withName("gone").withGracePeriod(0).delete();
        create("young");
        awaitBelief(truth());
        disturbances.next(POD_WATCH, new Disturbance.Expired());
        disturbances.next(POD_LIST, new Disturbance.AsOf(old));
        server.dropWatches();
        Event.PodSeen again = awaitAmongOthers(Event.PodSeen.class);
        assertTrue(List.of(bound, gone).contains(again.pod()), again::toString);
        belief.put(again.pod().uid(), again.pod());
        awaitBelief(truth());
        assertEquals(0, disturbances.left());
    }

    @Test
    void whatHappenedWhileTheWatchWasExpiredIsTold() throws Exception {
        watch();
        Pod first = create("first");
        awaitBelief(truth());
        disturbances.next(POD_WATCH, new Disturbance.Lost(), new Disturbance.Expired());
        server.dropWatches();
        client.resource(first).withGracePeriod(0).delete();
        create("second");
        awaitBelief(truth());
        create("third");
        awaitBelief(truth());
    }

    @Test
    void aListThatFailsIsMadeAgain() throws Exception {
        create("p");
        Map<String, PodFacts> truth = truth();
        disturbances.next(
                POD_LIST,
                Disturbance.internalError(),
                Disturbance.busy(1),
                new Disturbance.Lost(),
                new Disturbance.AnswerLost());
        watch = ClusterWatch.start(client, events::add);
        awaitBelief(truth);
        awaitAmongOthers(Event.CachesSynced.class);
        assertEquals(0, disturbances.left());
    }
}
