package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.PlannerSettings;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the steps of the loop share. One thread. */
final class LoopState {
    final LoopSettings settings;
    final ClusterState cluster = new ClusterState();
    final Outbox out = new Outbox();

    /** By node; of this term. */
    final SortedMap<String, AgentState> agents = new TreeMap<>();

    /** By pod UID; of this term. */
    final SortedMap<String, Claim> claims = new TreeMap<>();

    /** By id; those saved, and those being saved. */
    final SortedMap<String, OpenPlan> plans = new TreeMap<>();

    /** When the release of a leaving pod is overdue, by UID (E9). */
    final SortedMap<String, Instant> overdue = new TreeMap<>();

    /** Names of ours that another scheduler uses, and a pod that it bound; of this term (A7). */
    final SortedMap<String, PodRef> rivals = new TreeMap<>();

    /** Since when a node's status shows no devices of ours (B11). */
    private final Map<String, Instant> emptySince = new TreeMap<>();

    Backoff backoff;
    PlannerSettings planner;
    boolean synced;
    boolean leading;
    boolean suspended;

    /** A term above ours was met: nothing starts any more in this one. */
    boolean deposed;

    Epoch epoch = Epoch.NONE;
    Instant termStart = Instant.MIN;
    Instant now = Instant.MIN;

    /** Grows with each change that could turn "no room" into a place (E11). */
    long world;

    private long sequence;

    LoopState(LoopSettings settings) {
        this.settings = settings;
        this.planner = settings.planner();
        this.backoff = new Backoff(settings.backoff(), settings.backoffMost());
    }

    /** Whether effects may start now. */
    boolean acting() {
        return leading && standstill() == Standstill.NONE;
    }

    Standstill standstill() {
        if (deposed) {
            return Standstill.DEPOSED;
        }
        if (suspended) {
            return Standstill.SUSPENDED;
        }
        return synced ? Standstill.NONE : Standstill.NOT_SYNCED;
    }

    void termBegins(Epoch next) {
        forgetTerm();
        leading = true;
        suspended = false;
        epoch = next;
        termStart = now;
    }

    void forgetTerm() {
        leading = false;
        deposed = false;
        agents.clear();
        claims.clear();
        plans.clear();
        overdue.clear();
        rivals.clear();
        backoff = new Backoff(settings.backoff(), settings.backoffMost());
        world++;
    }

    /** Unique for ever: no other term has this epoch. */
    String nextId(String kind) {
        return kind + epoch.value() + "-" + ++sequence;
    }

    boolean ours(PodFacts pod) {
        return settings.schedulerNames().names().contains(pod.schedulerName());
    }

    /** For a place, whether or not it may have one. */
    boolean waits(PodFacts pod) {
        return ours(pod)
                && !rivals.containsKey(pod.schedulerName())
                && !pod.gated()
                && !pod.bound()
                && !pod.terminating()
                && pod.phase() == PodPhase.PENDING
                && !claims.containsKey(pod.uid());
    }

    void nodeSeen(NodeFacts node) {
        if (node.showsNoDevices()) {
            emptySince.putIfAbsent(node.name(), now);
        } else {
            emptySince.remove(node.name());
        }
    }

    void nodeGone(String node) {
        emptySince.remove(node);
    }

    Optional<Instant> emptySince(String node) {
        return Optional.ofNullable(emptySince.get(node));
    }

    Optional<AgentState> agent(String node) {
        return Optional.ofNullable(agents.get(node));
    }

    Optional<NodeReport> report(String node) {
        return agent(node).map(AgentState::report);
    }

    /** What the agent has reserved for a pod, as it last said. */
    Optional<Reservation> reserved(String node, String podUid) {
        return report(node)
                .flatMap(report -> report.reservations().stream()
                        .filter(reservation -> reservation.pod().uid().equals(podUid))
                        .findFirst());
    }

    /** Whether shares of the pod stand in the agent's books, given out or releasing. */
    boolean hasShares(String node, String podUid) {
        return report(node).stream()
                .flatMap(report -> report.shares().stream())
                .anyMatch(booked -> booked.share().pod().uid().equals(podUid));
    }

    List<Claim> claimsOn(String node) {
        return claims.values().stream()
                .filter(claim -> claim.node().equals(node))
                .toList();
    }

    List<Claim> claimsOf(OpenPlan plan) {
        return claims.values().stream()
                .filter(claim -> claim.plan().equals(plan.id()))
                .toList();
    }

    /** Sends an order on the node's stream; returns its id. */
    String send(String node, Order order) {
        String id = nextId("o");
        out.add(new Effect.Send(node, agents.get(node).stream(), epoch, id, order));
        return id;
    }

    void log(String line) {
        out.add(new Effect.Log("epoch=" + epoch + " " + line));
    }
}
