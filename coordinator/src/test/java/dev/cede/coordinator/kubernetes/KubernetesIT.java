package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.testbed.apiserver.RequestFilter;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What our watches tell and our effects do, at an API server that does as it is asked. */
class KubernetesIT extends KubernetesRig {
    @Test
    void whatExistsIsToldBeforeTheCachesAreSyncedAndWhatChangesAfter() throws Exception {
        Pod before = create("before");
        watch = ClusterWatch.start(client, events::add);
        List<Event> first = new ArrayList<>();
        Event event = events.poll(60, TimeUnit.SECONDS);
        while (!(event instanceof Event.CachesSynced)) {
            first.add(event);
            event = events.poll(60, TimeUnit.SECONDS);
        }
        assertTrue(first.contains(new Event.PodSeen(PodFactsReader.read(before))));
        assertTrue(first.stream().anyMatch(Event.NodeSeen.class::isInstance));

        Pod after = create("after");
        assertEquals(new Event.PodSeen(PodFactsReader.read(after)), await(Event.PodSeen.class));
        client.resource(after).withGracePeriod(0).delete();
        assertEquals(
                PodFactsReader.ref(after), awaitAmongOthers(Event.PodGone.class).pod());
    }

    @Test
    void aPodReplacedWhileTheWatchWasDownIsGoneAndAnotherIsSeen() throws Exception {
        Pod old = create("p");
        watch = ClusterWatch.start(client, events::add);
        awaitAmongOthers(Event.CachesSynced.class);
        server.setFilter(request -> {
            if (request.path().equals("/api/v1/pods")) {
                throw new IOException("no watches and no lists for now");
            }
            return Optional.empty();
        });
        server.dropWatches();
        client.resource(old).withGracePeriod(0).delete();
        Pod young = create("p");
        server.setFilter(RequestFilter.NONE);
        Event.PodGone gone = awaitAmongOthers(Event.PodGone.class);
        assertEquals(old.getMetadata().getUid(), gone.pod().uid());
        assertEquals(
                young.getMetadata().getUid(),
                awaitAmongOthers(Event.PodSeen.class).pod().uid());
    }

    @Test
    void aBindingCarriesAnnotationsAndIsRefusedForAnotherVersion() throws Exception {
        PodFacts pod = PodFactsReader.read(create("p"));
        client.pods().inNamespace("default").withName("p").edit(p -> {
            p.getMetadata().setLabels(Map.of("changed", "yes"));
            return p;
        });
        effects.bind(new Effect.Bind(pod, "n1", Map.of("cede.dev/cards", "x")));
        assertTrue(await(Event.BindFailed.class).failure().conflict());

        PodFacts now = PodFactsReader.read(get("p"));
        effects.bind(new Effect.Bind(now, "n1", Map.of("cede.dev/cards", "x")));
        assertEquals(new Event.Bound(pod.ref(), "n1"), await(Event.Bound.class));
        Pod bound = get("p");
        assertEquals("n1", bound.getSpec().getNodeName());
        assertEquals("x", bound.getMetadata().getAnnotations().get("cede.dev/cards"));
    }

    /** E10. */
    @Test
    void anEvictionMarksTellsAndDeletesWithThePodsOwnGrace() throws Exception {
        PodFacts pod = PodFactsReader.read(create("p"));
        effects.bind(new Effect.Bind(pod, "n1", Map.of()));
        await(Event.Bound.class);
        effects.evict(new Effect.Evict(
                PodFactsReader.read(get("p")), "plan-1", "makes room for ns/high by plan-1"));
        assertEquals(pod.ref(), await(Event.Evicted.class).victim());
        Pod leaving = get("p");
        assertEquals(30L, leaving.getMetadata().getDeletionGracePeriodSeconds());
        PodCondition condition = condition(leaving, "DisruptionTarget");
        assertEquals("True", condition.getStatus());
        assertEquals("PreemptionByScheduler", condition.getReason());
        assertEquals("makes room for ns/high by plan-1", condition.getMessage());
        assertEquals(List.of("Preempted"), eventReasons(pod.ref()));
    }

    /** E13, B72: what a leader before had on its way. */
    @Test
    void noBindingAndNoEvictionOfAPodThatWasFencedSinceIsTaken() throws Exception {
        PodFacts pod = PodFactsReader.read(create("p"));
        effects.fence(new Effect.Fence(pod, new Epoch(TERM)));
        PodFacts fenced = await(Event.Fenced.class).pod();
        assertEquals(new Epoch(TERM), fenced.fence());
        assertEquals(PodFactsReader.read(get("p")), fenced);

        effects.bind(new Effect.Bind(pod, "n1", Map.of()));
        assertTrue(await(Event.BindFailed.class).failure().conflict());
        effects.evict(new Effect.Evict(pod, "plan-1", "why"));
        assertTrue(await(Event.EvictFailed.class).failure().conflict());
        assertEquals(fenced, PodFactsReader.read(get("p")));

        effects.fence(new Effect.Fence(fenced, new Epoch(TERM)));
        PodFacts again = await(Event.Fenced.class).pod();
        assertNotEquals(fenced.resourceVersion(), again.resourceVersion());
    }

    @Test
    void aFenceOfAPodThatHasChangedIsNotWritten() throws Exception {
        PodFacts pod = PodFactsReader.read(create("p"));
        effects.bind(new Effect.Bind(pod, "n1", Map.of()));
        await(Event.Bound.class);
        effects.fence(new Effect.Fence(pod, new Epoch(TERM)));
        assertTrue(await(Event.FenceFailed.class).failure().conflict());
        assertEquals(Epoch.NONE, PodFactsReader.read(get("p")).fence());
    }

    @Test
    void aPodThatIsGoneOrAnotherOneOfItsNameIsEvictedAlready() throws Exception {
        Pod old = create("p");
        client.resource(old).withGracePeriod(0).delete();
        effects.evict(new Effect.Evict(PodFactsReader.read(old), "plan-1", "why"));
        await(Event.Evicted.class);
        Pod young = create("p");
        effects.evict(new Effect.Evict(PodFactsReader.read(old), "plan-1", "why"));
        await(Event.Evicted.class);
        assertEquals(
                young.getMetadata().getUid(), get("p").getMetadata().getUid(), "B07: not touched");
        assertEquals(null, get("p").getMetadata().getDeletionTimestamp());
    }

    @Test
    void aVictimThatChangedIsNotEvicted() throws Exception {
        PodFacts before = PodFactsReader.read(create("p"));
        client.pods().inNamespace("default").withName("p").edit(p -> {
            p.getMetadata().setLabels(Map.of("changed", "yes"));
            return p;
        });
        effects.evict(new Effect.Evict(before, "plan-1", "why"));
        assertTrue(await(Event.EvictFailed.class).failure().conflict());
        assertEquals(null, get("p").getMetadata().getDeletionTimestamp());
    }

    @Test
    void aPendingPodSaysWhyAndItsNominationComesAndGoes() throws Exception {
        PodRef pod = PodFactsReader.ref(create("p"));
        effects.nominate(new Effect.Nominate(pod, "n1"));
        effects.reportPending(new Effect.ReportPending(pod, "Unschedulable", "no card is free"));
        assertEquals("n1", readBack(pod).nominatedNode().orElse(""));
        assertEquals("no card is free", readBack(pod).scheduledMessage());
        assertEquals("Unschedulable", condition(get("p"), "PodScheduled").getReason());
        assertEquals(List.of("FailedScheduling"), eventReasons(pod));
        effects.nominate(new Effect.Nominate(pod, ""));
        assertEquals(Optional.empty(), readBack(pod).nominatedNode());
    }

    @Test
    void E1_aVolcanoGroupsPhaseIsWrittenUnlessTheGroupHasChangedSince() throws Exception {
        client.resource(client.getKubernetesSerialization()
                        .unmarshal("""
                apiVersion: scheduling.volcano.sh/v1beta1
                kind: PodGroup
                metadata: {name: gang, namespace: default}
                spec: {minMember: 2}
                """, GenericKubernetesResource.class))
                .create();
        watch = ClusterWatch.start(client, events::add);
        GroupFacts group = awaitAmongOthers(Event.GroupSeen.class).group();
        assertEquals("", group.phase());
        effects.moveGroup(new Effect.MoveGroup(group, "Inqueue"));
        GroupFacts moved = awaitAmongOthers(Event.GroupSeen.class).group();
        assertEquals("Inqueue", moved.phase());
        assertEquals(2, moved.minMember());
        effects.moveGroup(new Effect.MoveGroup(group, "Running"));
        assertTrue(awaitAmongOthers(Event.GroupNotMoved.class).failure().conflict());
    }

    @Test
    void F6_aNodeIsWarnedAboutInTheDefaultNamespace() {
        Node node = client.nodes().withName("n1").get();
        effects.announceNode(new Effect.AnnounceNode(
                "n1", node.getMetadata().getUid(), "StatusEntryPerUnit", "set two gates"));
        var told = client.v1()
                .events()
                .inNamespace("default")
                .withField("involvedObject.kind", "Node")
                .informOnCondition(all -> !all.isEmpty())
                .orTimeout(60, TimeUnit.SECONDS)
                .join()
                .getFirst();
        assertEquals("n1", told.getInvolvedObject().getName());
        assertEquals("set two gates", told.getMessage());
        assertEquals("Warning", told.getType());
    }

    @Test
    void aReadFindsNoPodOfAnotherUid() throws Exception {
        PodRef pod = PodFactsReader.ref(create("p"));
        effects.readPod(new Effect.ReadPod(new PodRef("default", "p", "another")));
        assertEquals(Optional.empty(), await(Event.PodRead.class).found());
        effects.readPod(new Effect.ReadPod(new PodRef("default", "none", "another")));
        assertEquals(Optional.empty(), await(Event.PodRead.class).found());
        assertEquals(pod, readBack(pod).ref());
    }

    @Test
    void aPodIsFoundByItsUidAmongThoseOfItsNode() throws Exception {
        PodFacts waiting = PodFactsReader.read(create("waiting"));
        PodFacts bound = PodFactsReader.read(create("bound"));
        effects.bind(new Effect.Bind(bound, "n1", Map.of()));
        await(Event.Bound.class);
        assertEquals(Optional.of(bound.ref()), found(bound.uid()));
        assertEquals(Optional.empty(), found(waiting.uid()));
        assertEquals(Optional.empty(), found("another"));
    }

    private Optional<PodRef> found(String uid) throws InterruptedException {
        PodRef nameless = new PodRef("", "", uid);
        effects.findPod(new Effect.FindPod(nameless, "n1"));
        Event.PodRead read = await(Event.PodRead.class);
        assertEquals(nameless, read.asked());
        return read.found().map(PodFacts::ref);
    }

    /** K07: sixty calls are in flight together. */
    @Test
    void callsForManyPodsAreMadeAtOnce() throws Exception {
        int pods = 60;
        List<PodFacts> facts = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            facts.add(PodFactsReader.read(create("p" + i)));
        }
        CountDownLatch all = new CountDownLatch(pods);
        server.setFilter(request -> {
            if (request.path().endsWith("/binding")) {
                all.countDown();
                awaitQuietly(all);
            }
            return Optional.empty();
        });
        facts.forEach(pod -> effects.bind(new Effect.Bind(pod, "n1", Map.of())));
        for (int i = 0; i < pods; i++) {
            await(Event.Bound.class);
        }
    }

    @Test
    void nothingStartsForATermThatIsOver() throws Exception {
        PodFacts pod = PodFactsReader.read(create("p"));
        currentTerm.set(TERM + 1);
        effects.bind(new Effect.Bind(pod, "n1", Map.of()));
        effects.term(TERM + 1);
        readBack(pod.ref());
        assertTrue(events.isEmpty());
        assertEquals(null, get("p").getSpec().getNodeName());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertFalse(!latch.await(60, TimeUnit.SECONDS), "not within a minute");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
