package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.kubernetes.ApiCalls.Call;
import dev.cede.coordinator.kubernetes.Bodies.Condition;
import dev.cede.coordinator.kubernetes.Bodies.Subject;
import dev.cede.coordinator.kubernetes.Bodies.Told;
import dev.cede.coordinator.loop.ApiFailure;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is wanted of the API server. Calls for one pod are made one after another,
 * others side by side; nothing slows them down but the server itself (K07). A call is only started
 * while the term it belongs to lasts.
 */
public final class KubernetesEffects implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KubernetesEffects.class);

    /** Calls in flight at once. */
    static final int IN_FLIGHT = 64;

    private final ApiCalls calls;
    private final KubernetesClient client;
    private final EventSink sink;
    private final LongPredicate mayStart;
    private final InstantSource clock;
    private final ExecutorService pool = Executors.newFixedThreadPool(
            IN_FLIGHT, Thread.ofPlatform().daemon().name("cede-api-", 0).factory());
    private final Lanes lanes = new Lanes(pool);
    private final AtomicLong eventNumber;
    private volatile long term;

    /**
     * Calls nothing yet.
     *
     * @param mayStart whether a call of this term may start now; blocks while that is not known
     */
    public KubernetesEffects(
            KubernetesClient client, EventSink sink, LongPredicate mayStart, InstantSource clock) {
        this(client, sink, mayStart, clock, ApiServer.CALL_TIMEOUT);
    }

    KubernetesEffects(
            KubernetesClient client,
            EventSink sink,
            LongPredicate mayStart,
            InstantSource clock,
            Duration timeout) {
        this.calls = new ApiCalls(client, timeout);
        this.client = client;
        this.sink = sink;
        this.mayStart = mayStart;
        this.clock = clock;
        this.eventNumber = new AtomicLong(clock.millis() << 20);
    }

    /** Effects from now on belong to this term; 0 is none. */
    public void term(long epoch) {
        term = epoch;
    }

    public void bind(Effect.Bind bind) {
        PodRef pod = bind.pod().ref();
        String body = Bodies.binding(bind.pod(), bind.node(), bind.annotations());
        run(
                pod,
                () -> {
                    calls.make(Call.post(path(pod) + "/binding", body));
                    return new Event.Bound(pod, bind.node());
                },
                failure -> new Event.BindFailed(pod, bind.node(), failure));
    }

    public void evict(Effect.Evict evict) {
        PodRef victim = evict.victim().ref();
        run(victim, () -> evictNow(evict), failure -> new Event.EvictFailed(victim, failure));
    }

    private Event evictNow(Effect.Evict evict) throws ApiCallException, InterruptedException {
        PodRef victim = evict.victim().ref();
        try {
            String version = mark(evict.victim(), evict.message());
            tell(Told.of(victim, true, "Preempted", evict.message()));
            calls.make(Call.delete(path(victim), Bodies.delete(victim, version)));
        } catch (ApiCallException e) {
            boolean gone = e.failure().notFound()
                    || (e.failure().conflict() && read(victim).isEmpty());
            if (!gone) {
                throw e;
            }
        }
        return new Event.Evicted(victim);
    }

    public void rollBack(Effect.RollBack rollBack) {
        PodFacts member = rollBack.member();
        run(
                member.ref(),
                () -> {
                    tell(Told.of(member.ref(), true, "RolledBack", rollBack.message()));
                    String body = Bodies.delete(member.ref(), member.resourceVersion());
                    calls.make(Call.delete(path(member.ref()), body));
                    return new Event.Evicted(member.ref());
                },
                failure -> new Event.EvictFailed(member.ref(), failure));
    }

    /** Says on the pod why it goes; the version that this makes. */
    private String mark(PodFacts victim, String message)
            throws ApiCallException, InterruptedException {
        Condition condition =
                new Condition("DisruptionTarget", "True", "PreemptionByScheduler", message);
        return set(victim, condition).getMetadata().getResourceVersion();
    }

    /** The pod as that makes it. */
    private Pod set(PodFacts pod, Condition condition)
            throws ApiCallException, InterruptedException {
        String body =
                Bodies.condition(pod.ref(), pod.resourceVersion(), condition, clock.instant());
        return parse(calls.make(Call.patch(path(pod.ref()) + "/status", body)));
    }

    public void fence(Effect.Fence fence) {
        PodFacts pod = fence.pod();
        run(
                pod.ref(),
                () -> {
                    Condition condition = Fence.write(fence.epoch(), clock.instant());
                    return new Event.Fenced(PodFactsReader.read(set(pod, condition)));
                },
                failure -> new Event.FenceFailed(pod.ref(), failure));
    }

    public void nominate(Effect.Nominate nominate) {
        PodRef pod = nominate.pod();
        runQuietly(
                pod,
                "nominate",
                () -> calls.make(Call.patch(
                        path(pod) + "/status", Bodies.nomination(pod, nominate.node()))));
    }

    public void reportPending(Effect.ReportPending report) {
        PodRef pod = report.pod();
        Condition condition =
                new Condition("PodScheduled", "False", report.reason(), report.message());
        runQuietly(pod, "report_pending", () -> {
            String body = Bodies.condition(pod, "", condition, clock.instant());
            calls.make(Call.patch(path(pod) + "/status", body));
            tell(Told.of(pod, true, "FailedScheduling", report.message()));
        });
    }

    public void announce(Effect.Announce announce) {
        Told event =
                Told.of(announce.pod(), announce.warning(), announce.reason(), announce.message());
        runQuietly(announce.pod(), "announce", () -> tell(event));
    }

    public void announceNode(Effect.AnnounceNode announce) {
        Subject node = Subject.node(announce.node(), announce.uid());
        inLane(
                "node/" + announce.node(),
                () -> tell(new Told(node, true, announce.reason(), announce.message())));
    }

    public void moveGroup(Effect.MoveGroup move) {
        GroupRef group = move.group().ref();
        String path = GroupWatch.path(group) + "/status";
        inLane(group.toString(), () -> {
            try {
                calls.make(Call.merge(path, Bodies.phase(move)));
            } catch (ApiCallException e) {
                sink.post(new Event.GroupNotMoved(group, e.failure()));
            }
        });
    }

    public void readPod(Effect.ReadPod read) {
        run(
                read.pod(),
                () -> new Event.PodRead(read.pod(), read(read.pod()).map(PodFactsReader::read)),
                failure -> new Event.PodReadFailed(read.pod(), failure));
    }

    /** Past all caches, since no version is named; empty if there is no object of that UID. */
    private Optional<Pod> read(PodRef pod) throws ApiCallException, InterruptedException {
        try {
            return Optional.of(parse(calls.make(Call.get(path(pod)))))
                    .filter(found -> found.getMetadata().getUid().equals(pod.uid()));
        } catch (ApiCallException e) {
            if (e.failure().notFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public void findPod(Effect.FindPod find) {
        run(
                find.pod(),
                () -> new Event.PodRead(find.pod(), find(find).map(PodFactsReader::read)),
                failure -> new Event.PodReadFailed(find.pod(), failure));
    }

    /** Past all caches, too. */
    private Optional<Pod> find(Effect.FindPod find) throws ApiCallException, InterruptedException {
        String path = "/api/v1/pods?fieldSelector=spec.nodeName%3D" + find.node();
        String pods = calls.make(Call.get(path));
        return client
                .getKubernetesSerialization()
                .unmarshal(pods, PodList.class)
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getUid().equals(find.pod().uid()))
                .findFirst();
    }

    private Pod parse(String json) {
        return client.getKubernetesSerialization().unmarshal(json, Pod.class);
    }

    /** An event that cannot be written holds nothing up. */
    private void tell(Told event) throws InterruptedException {
        Subject subject = event.subject();
        String name = subject.name() + "." + Long.toHexString(eventNumber.incrementAndGet());
        String path = "/api/v1/namespaces/" + subject.eventsNamespace() + "/events";
        try {
            calls.make(Call.post(path, Bodies.event(event, name, clock.instant())));
        } catch (ApiCallException e) {
            LOG.warn(
                    "event_not_written {}={}/{} reason={} error=\"{}\"",
                    subject.kind(),
                    subject.namespace(),
                    subject.name(),
                    event.reason(),
                    e.getMessage());
        }
    }

    private static String path(PodRef pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws ApiCallException, InterruptedException;
    }

    @FunctionalInterface
    private interface QuietWork {
        void run() throws ApiCallException, InterruptedException;
    }

    @FunctionalInterface
    private interface OnFailure {
        Event event(ApiFailure failure);
    }

    private void run(PodRef pod, Work<Event> work, OnFailure onFailure) {
        inLane(pod.uid(), () -> {
            try {
                sink.post(work.run());
            } catch (ApiCallException e) {
                sink.post(onFailure.event(e.failure()));
            } catch (RuntimeException e) {
                // An answer that cannot be read: the call may have been carried out.
                sink.post(onFailure.event(new ApiFailure(0, e.toString())));
            }
        });
    }

    private void runQuietly(PodRef pod, String what, QuietWork work) {
        inLane(pod.uid(), () -> {
            try {
                work.run();
            } catch (ApiCallException | RuntimeException e) {
                LOG.warn("{}_failed pod={} error=\"{}\"", what, pod.namespacedName(), e.toString());
            }
        });
    }

    @FunctionalInterface
    private interface Interruptible {
        void run() throws InterruptedException;
    }

    private void inLane(String lane, Interruptible work) {
        long ofTerm = term;
        try {
            lanes.run(lane, () -> runIn(ofTerm, work));
        } catch (RejectedExecutionException e) {
            LOG.debug("after close: a call for {}", lane, e);
        }
    }

    private void runIn(long ofTerm, Interruptible work) {
        try {
            if (mayStart.test(ofTerm)) {
                work.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Calls under way end as they may; nothing is reported of them. */
    @Override
    public void close() {
        pool.shutdownNow();
    }
}
