package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.Epoch;
import dev.cede.model.Reservation;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A plan under way, and how far it is. */
final class OpenPlan {
    private final SavedPlan plan;

    /** Plans that are closed in the transaction that saves this one. */
    private final List<String> replaces;

    private Step step;
    private boolean hasEvicted;
    private String abandonedFor = "";
    private final Set<String> evicted = new HashSet<>();
    private final Set<String> evicting = new HashSet<>();
    private final Map<String, Instant> evictAgainAt = new HashMap<>();
    private final Set<String> bound = new HashSet<>();
    private final Set<String> started = new HashSet<>();
    private final Map<String, Instant> lostSince = new HashMap<>();
    private final Set<String> givenUp = new HashSet<>();

    OpenPlan(SavedPlan plan, List<String> replaces, Step step) {
        this.plan = plan;
        this.replaces = List.copyOf(replaces);
        this.step = step;
    }

    String id() {
        return plan.id();
    }

    /** What an agent is to hold for a member. */
    Reservation reservation(Placement place, Epoch epoch) {
        return new Reservation(place.pod(), place.shares(), place.behind(), epoch, id());
    }

    SavedPlan plan() {
        return plan;
    }

    List<String> replaces() {
        return replaces;
    }

    Step step() {
        return step;
    }

    void step(Step next) {
        step = next;
        hasEvicted |= next == Step.RELEASING;
    }

    /** Whether it will not be finished. */
    boolean isEnding() {
        return step == Step.ABANDONING || step == Step.ROLLING_BACK;
    }

    void abandon(String reason) {
        step(Step.ABANDONING);
        abandonedFor = reason;
    }

    /** Why it is abandoned; empty while it is not. */
    String abandonedFor() {
        return abandonedFor;
    }

    /** Whether all its victims were sent away. */
    boolean hasEvicted() {
        return hasEvicted;
    }

    boolean hasVictim(String uid) {
        return plan.victims().stream().anyMatch(victim -> victim.pod().uid().equals(uid));
    }

    boolean hasMember(String uid) {
        return plan.placements().stream().anyMatch(place -> place.pod().uid().equals(uid));
    }

    /** A member was seen on its node; what becomes of it then does not undo the plan. */
    void memberBound(PodFacts member) {
        bound.add(member.uid());
        if (member.phase() == PodPhase.RUNNING || member.phase() == PodPhase.SUCCEEDED) {
            started.add(member.uid());
        }
    }

    boolean hasStarted(String uid) {
        return started.contains(uid);
    }

    /** A member will not start; true when that is news. */
    boolean isLost(String uid, Instant now) {
        return lostSince.putIfAbsent(uid, now) == null;
    }

    /** Whether its place waits for the pod that replaces it. */
    boolean isReplaceable(String uid) {
        return lostSince.containsKey(uid) && !isGivenUp(uid);
    }

    Instant lostSince(String uid) {
        return lostSince.get(uid);
    }

    /** A member will not start, and nobody takes its place. */
    void gaveUp(String uid) {
        givenUp.add(uid);
    }

    boolean isGivenUp(String uid) {
        return givenUp.contains(uid);
    }

    boolean isMemberBound(String uid) {
        return bound.contains(uid);
    }

    boolean isAsked(String uid) {
        return evicting.contains(uid);
    }

    boolean isEvicted(String uid) {
        return evicted.contains(uid);
    }

    boolean mayEvict(String uid, Instant now) {
        return !evicting.contains(uid)
                && !evictAgainAt.getOrDefault(uid, Instant.MIN).isAfter(now);
    }

    Instant evictAgainAt(String uid) {
        return evictAgainAt.getOrDefault(uid, Instant.MIN);
    }

    void evictSent(String uid) {
        evicting.add(uid);
    }

    /** It is on its way or gone, by whomever; an eviction that was asked for may still begin. */
    void leaves(String uid) {
        evicted.add(uid);
    }

    void evicted(String uid) {
        evicting.remove(uid);
        evicted.add(uid);
    }

    /** While one is, the plan is not closed: no eviction is outside a saved plan (E13). */
    boolean evictionUnderWay() {
        return !evicting.isEmpty();
    }

    void evictFailed(String uid, Instant again) {
        evicting.remove(uid);
        evictAgainAt.put(uid, again);
    }
}
