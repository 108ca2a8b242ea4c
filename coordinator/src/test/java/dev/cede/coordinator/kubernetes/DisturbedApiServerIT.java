package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.ApiFailure;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.testbed.apiserver.ApiRequest;
import dev.cede.testbed.apiserver.Disturbance;
import dev.cede.testbed.apiserver.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What our effects make of an API server that is busy, broken, slow or silent. */
class DisturbedApiServerIT extends KubernetesRig {
    private static final String OTHER_NODE = "n2";

    private static boolean isBinding(ApiRequest request) {
        return request.path().endsWith("/binding");
    }

    private static boolean isMark(ApiRequest request) {
        return request.method().equals("PATCH");
    }

    private static boolean isDelete(ApiRequest request) {
        return request.method().equals("DELETE");
    }

    private PodFacts pod() {
        return PodFactsReader.read(create("p"));
    }

    private PodFacts boundPod() throws InterruptedException {
        bind(pod(), "n1");
        await(Event.Bound.class);
        return now();
    }

    private PodFacts now() {
        return PodFactsReader.read(get("p"));
    }

    private void bind(PodFacts pod, String node) {
        effects.bind(new Effect.Bind(pod, node, Map.of()));
    }

    private void evict(PodFacts pod) {
        effects.evict(new Effect.Evict(pod, "plan-1", "why"));
    }

    private ApiFailure bindFailure() throws InterruptedException {
        return await(Event.BindFailed.class).failure();
    }

    private ApiFailure evictFailure() throws InterruptedException {
        return await(Event.EvictFailed.class).failure();
    }

    /** Silence would cost the test as long as a real call's time limit otherwise. */
    private void giveUpSoon() {
        effects.close();
        effects = effects(Duration.ofSeconds(2));
    }

    @Test
    void K07_aBusyServerIsAskedAgainWhenItSaysSo() throws Exception {
        disturbances.next(
                DisturbedApiServerIT::isBinding, Disturbance.busy(1), Disturbance.busy(0));
        bind(pod(), "n1");
        await(Event.Bound.class);
        assertEquals(0, disturbances.left());
    }

    @Test
    void anErrorOfTheServerIsToldAndTheNextCallMayDoBetter() throws Exception {
        PodFacts pod = pod();
        disturbances.next(DisturbedApiServerIT::isBinding, Disturbance.internalError());
        bind(pod, "n1");
        assertEquals(500, bindFailure().status());
        assertNull(get("p").getSpec().getNodeName());
        bind(pod, "n1");
        await(Event.Bound.class);
    }

    @Test
    void E12_aConflictIsToldAndThePodIsAsItWas() throws Exception {
        PodFacts pod = pod();
        disturbances.next(DisturbedApiServerIT::isBinding, Disturbance.conflict());
        bind(pod, "n1");
        assertTrue(bindFailure().conflict());
        assertEquals(pod, readBack(pod.ref()));
    }

    @Test
    void B13_aBindingThatWasCarriedOutWithoutAnAnswerIsFoundByReadingThePod() throws Exception {
        giveUpSoon();
        PodFacts pod = pod();
        disturbances.next(DisturbedApiServerIT::isBinding, Disturbance.unanswered());
        bind(pod, "n1");
        assertTrue(bindFailure().unanswered());
        assertEquals("n1", readBack(pod.ref()).nodeName().orElse(""));
        bind(pod, OTHER_NODE);
        assertTrue(bindFailure().conflict());
        assertEquals("n1", get("p").getSpec().getNodeName());
    }

    @Test
    void B13_aBindingWhoseConnectionBreaksSaysThatNothingIsKnownOfIt() throws Exception {
        PodFacts pod = pod();
        disturbances.next(
                DisturbedApiServerIT::isBinding,
                new Disturbance.Lost(),
                new Disturbance.AnswerLost());
        bind(pod, "n1");
        assertTrue(bindFailure().unanswered());
        assertNull(get("p").getSpec().getNodeName());
        bind(pod, "n1");
        assertTrue(bindFailure().unanswered());
        assertEquals("n1", get("p").getSpec().getNodeName());
    }

    /** A Binding to n1 that was given up, and arrives when the gate opens. */
    private Gate lateBinding(PodFacts pod) throws InterruptedException {
        giveUpSoon();
        Gate late = new Gate();
        disturbances.next(DisturbedApiServerIT::isBinding, new Disturbance.Late(late));
        bind(pod, "n1");
        assertTrue(bindFailure().unanswered());
        return late;
    }

    /** The successor has bound the pod meanwhile. */
    @Test
    void B13_aBindingThatArrivesTooLateIsRefused() throws Exception {
        PodFacts pod = pod();
        Gate late = lateBinding(pod);
        bind(pod, OTHER_NODE);
        await(Event.Bound.class);
        assertEquals(409, late.open().code());
        assertEquals(OTHER_NODE, get("p").getSpec().getNodeName());
    }

    /** As above, but nobody was faster. */
    @Test
    void B13_aBindingThatArrivesLateIsHonouredWhenThePodIsAsItWas() throws Exception {
        PodFacts pod = pod();
        Gate late = lateBinding(pod);
        assertEquals(201, late.open().code());
        assertEquals("n1", readBack(pod.ref()).nodeName().orElse(""));
    }

    @Test
    void E10_aMarkWithoutAnAnswerIsNoEvictionAndTheVictimIsReadBeforeTheNextTry() throws Exception {
        giveUpSoon();
        PodFacts victim = boundPod();
        disturbances.next(DisturbedApiServerIT::isMark, Disturbance.unanswered());
        evict(victim);
        assertTrue(evictFailure().unanswered());
        assertNull(get("p").getMetadata().getDeletionTimestamp());
        evict(victim);
        assertTrue(evictFailure().conflict());
        evict(now());
        await(Event.Evicted.class);
    }

    @Test
    void E10_aDeleteThatWasCarriedOutWithoutAnAnswerIsNotCarriedOutTwice() throws Exception {
        giveUpSoon();
        PodFacts victim = boundPod();
        disturbances.next(DisturbedApiServerIT::isDelete, Disturbance.unanswered());
        evict(victim);
        assertTrue(evictFailure().unanswered());
        String deadline = get("p").getMetadata().getDeletionTimestamp();
        evict(now());
        await(Event.Evicted.class);
        assertEquals(deadline, get("p").getMetadata().getDeletionTimestamp());
        assertEquals(30L, get("p").getMetadata().getDeletionGracePeriodSeconds());
    }

    /** B07: its name is that of another pod by then, as a StatefulSet's are. */
    @Test
    void E10_aDeleteThatArrivesTooLateDoesNotTouchTheNextPodOfItsName() throws Exception {
        giveUpSoon();
        PodFacts victim = boundPod();
        Gate late = new Gate();
        disturbances.next(DisturbedApiServerIT::isDelete, new Disturbance.Late(late));
        evict(victim);
        assertTrue(evictFailure().unanswered());
        client.pods().inNamespace("default").withName("p").withGracePeriod(0).delete();
        PodFacts young = pod();
        assertEquals(409, late.open().code());
        assertNotEquals(victim.uid(), young.uid());
        assertEquals(young.uid(), get("p").getMetadata().getUid());
    }

    @Test
    void anEventThatCannotBeWrittenHoldsNoEvictionUp() throws Exception {
        PodFacts victim = boundPod();
        disturbances.next(
                request -> request.path().endsWith("/events"), Disturbance.internalError());
        evict(victim);
        await(Event.Evicted.class);
        assertEquals(List.of(), eventReasons(victim.ref()));
    }

    @Test
    void K07_aSlowAnswerForOnePodHoldsUpNoOther() throws Exception {
        PodFacts slow = pod();
        PodFacts other = PodFactsReader.read(create("other"));
        Gate gate = new Gate();
        disturbances.next(DisturbedApiServerIT::isBinding, new Disturbance.Slow(gate));
        bind(slow, "n1");
        gate.awaitHeldUp();
        bind(other, "n1");
        assertEquals(other.ref(), await(Event.Bound.class).pod());
        gate.open();
        assertEquals(slow.ref(), await(Event.Bound.class).pod());
    }

    /** E9: what a read finds is not older than what was done before it. */
    @Test
    void aReadWaitsForTheSlowAnswerOfTheSamePod() throws Exception {
        PodFacts pod = pod();
        Gate gate = new Gate();
        disturbances.next(DisturbedApiServerIT::isBinding, new Disturbance.Late(gate));
        bind(pod, "n1");
        effects.readPod(new Effect.ReadPod(pod.ref()));
        gate.awaitHeldUp();
        gate.open();
        await(Event.Bound.class);
        assertEquals(
                "n1",
                await(Event.PodRead.class).found().orElseThrow().nodeName().orElse(""));
    }

    @Test
    void E9_aReadThatFailsFindsNothingOut() throws Exception {
        giveUpSoon();
        PodFacts pod = pod();
        disturbances.next(
                request -> request.method().equals("GET"),
                Disturbance.internalError(),
                Disturbance.unanswered());
        effects.readPod(new Effect.ReadPod(pod.ref()));
        assertEquals(500, await(Event.PodReadFailed.class).failure().status());
        effects.readPod(new Effect.ReadPod(pod.ref()));
        assertTrue(await(Event.PodReadFailed.class).failure().unanswered());
        assertEquals(pod, readBack(pod.ref()));
    }
}
