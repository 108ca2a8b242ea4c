package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.BookedShare;
import dev.cede.model.Order;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Kubelet's half of a measured release (E9): once a pod's phase is final, or a read past all caches
 * says that it is gone, its agent is asked to read the driver and let go.
 */
final class Releases {
    /** How long after a pod is gone kubelet may hear of it, and ask for its devices, at the latest. */
    private static final Duration NEWS = Duration.ofSeconds(3);

    private final LoopState state;

    /** Reads under way, by UID. */
    private final Set<String> reading = new HashSet<>();

    /** Since when pods are known to be gone for which something is reserved, by UID. */
    private final Map<String, Instant> goneSince = new TreeMap<>();

    Releases(LoopState state) {
        this.state = state;
    }

    void forgetTerm() {
        reading.clear();
        goneSince.clear();
    }

    void step() {
        state.agents.forEach((node, agent) -> {
            podsWithShares(agent).forEach(this::watchDeadline);
            for (PodRef pod : letGo(agent)) {
                if (agent.welcomed() && agent.firstFree(pod.uid())) {
                    state.send(node, new Order.Free(pod));
                    state.log("release=asked node=" + node + " pod=" + pod.namespacedName());
                }
            }
        });
        forgetDeparted();
    }

    private void forgetDeparted() {
        Set<String> named = Views.uidsInBooks(state);
        state.overdue.keySet().retainAll(named);
        goneSince.keySet().retainAll(named);
        named.addAll(state.claims.keySet());
        state.plans.values().forEach(plan -> {
            plan.plan().placements().forEach(place -> named.add(place.pod().uid()));
            plan.plan().victims().forEach(victim -> named.add(victim.pod().uid()));
        });
        state.cluster.forgetDepartedExcept(named);
    }

    /** The frees that a welcome has to name. */
    List<PodRef> due(AgentState agent) {
        return letGo(agent).stream().filter(pod -> agent.firstFree(pod.uid())).toList();
    }

    /**
     * Pods in the books that kubelet is done with. One that it rejected between its two calls still
     * has its reservation, and kubelet's checkpoint may name it for long.
     */
    private List<PodRef> letGo(AgentState agent) {
        Stream<PodRef> shares = podsWithShares(agent).stream()
                .filter(pod -> kubeletLetGo(pod) && !mayBeStarting(pod));
        Stream<PodRef> reserved = agent.report().reservations().stream()
                .map(Reservation::pod)
                .filter(pod -> isOver(pod) && !mayBeNews(pod));
        return Stream.concat(shares, reserved).distinct().toList();
    }

    static List<PodRef> podsWithShares(AgentState agent) {
        Map<String, PodRef> pods = new TreeMap<>();
        agent.report().shares().stream()
                .map(BookedShare::share)
                .forEach(share -> pods.put(share.pod().uid(), share.pod()));
        return List.copyOf(pods.values());
    }

    /** Whether kubelet has let go, as far as is known without asking. */
    boolean isOver(PodRef pod) {
        return state.cluster
                .pod(pod.uid())
                .map(PodFacts::finished)
                .orElseGet(() -> state.cluster.isConfirmedGone(pod.uid()));
    }

    /**
     * Whether kubelet may yet hear of a pod that is gone, and ask for its devices: without its
     * reservation those calls, which name no pod, would be taken for another's.
     */
    boolean mayBeNews(PodRef pod) {
        boolean known = state.cluster
                .podOrDeparted(pod.uid())
                .filter(last -> !last.bound() || last.finished())
                .isPresent();
        if (known || state.cluster.pod(pod.uid()).isPresent()) {
            return false;
        }
        Instant until = goneSince.computeIfAbsent(pod.uid(), uid -> state.now).plus(NEWS);
        if (until.isAfter(state.now)) {
            state.out.wakeAt(until);
        }
        return until.isAfter(state.now);
    }

    /** A pod that went while kubelet prepared its containers: one may come to life yet. */
    private boolean mayBeStarting(PodRef pod) {
        return state.cluster
                        .podOrDeparted(pod.uid())
                        .filter(last -> last.phase() == PodPhase.PENDING)
                        .isPresent()
                && mayBeNews(pod);
    }

    boolean kubeletLetGo(PodRef pod) {
        return state.cluster.pod(pod.uid()).map(PodFacts::finished).orElseGet(() -> gone(pod));
    }

    /** Absence from a cache proves nothing: such a pod is read first. */
    boolean gone(PodRef pod) {
        if (state.cluster.pod(pod.uid()).isPresent()) {
            return false;
        }
        if (!state.cluster.isConfirmedGone(pod.uid())) {
            read(pod);
            return false;
        }
        return true;
    }

    void read(PodRef pod) {
        Instant again = state.backoff.until("read/" + pod.uid());
        if (again.isAfter(state.now)) {
            state.out.wakeAt(again);
        } else if (reading.add(pod.uid())) {
            state.out.add(
                    pod.isNamed() ? new Effect.ReadPod(pod) : new Effect.FindPod(pod, nodeOf(pod)));
        }
    }

    /** A pod without a name is known from the books of its node only. */
    private String nodeOf(PodRef pod) {
        return state.agents.entrySet().stream()
                .filter(agent -> podsWithShares(agent.getValue()).contains(pod))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    void onRead(Event.PodRead read) {
        reading.remove(read.asked().uid());
        read.found()
                .ifPresentOrElse(state.cluster::put, () -> state.cluster.confirmGone(read.asked()));
    }

    /** It is asked again after the back-off. */
    void onReadFailed(PodRef pod) {
        reading.remove(pod.uid());
        state.out.wakeAt(state.backoff.failed("read/" + pod.uid(), state.now));
    }

    private void watchDeadline(PodRef pod) {
        if (!Views.leaving(state, pod.uid())) {
            return;
        }
        Instant graceEnds = state.cluster
                .podOrDeparted(pod.uid())
                .flatMap(PodFacts::deletionTimestamp)
                .filter(end -> end.isAfter(state.now))
                .orElse(state.now);
        Instant deadline = state.overdue.computeIfAbsent(
                pod.uid(), uid -> graceEnds.plus(releaseTimeout(uid)));
        if (deadline.isAfter(state.now)) {
            state.out.wakeAt(deadline);
        }
    }

    /** A victim's is the one saved with its plan, whatever a later leader is configured with. */
    private Duration releaseTimeout(String uid) {
        return state.plans.values().stream()
                .filter(plan -> plan.hasVictim(uid))
                .map(plan -> plan.plan().releaseTimeout())
                .findFirst()
                .orElse(state.settings.releaseTimeout());
    }

    /** The deadline stands still while the agent is away. */
    void agentWasAway(AgentState agent, Duration away) {
        podsWithShares(agent)
                .forEach(pod ->
                        state.overdue.computeIfPresent(pod.uid(), (uid, at) -> at.plus(away)));
    }
}
