package dev.cede.coordinator.loop;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A plan under way, and how far it is. */
final class OpenPlan {
    /** The steps of a preemption, in order; see the state machine in ARCHITECTURE.md. */
    enum Step {
        /** Decided; ZooKeeper has not answered yet. */
        PLANNED,
        /** Saved; agents are asked to hold. */
        SAVED,
        EVICTING,
        RELEASING,
        BINDING
    }

    private final SavedPlan plan;

    /** Plans that are closed in the transaction that saves this one. */
    private final List<String> replaces;

    private Step step;
    private final Set<String> evicted = new HashSet<>();
    private final Set<String> evicting = new HashSet<>();
    private final Map<String, Instant> evictAgainAt = new HashMap<>();
    private final Set<String> bound = new HashSet<>();

    OpenPlan(SavedPlan plan, List<String> replaces, Step step) {
        this.plan = plan;
        this.replaces = List.copyOf(replaces);
        this.step = step;
    }

    String id() {
        return plan.id();
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
    }

    boolean hasVictim(String uid) {
        return plan.victims().stream().anyMatch(victim -> victim.pod().uid().equals(uid));
    }

    /** A member was seen on its node; what becomes of it then does not undo the plan. */
    void memberBound(String uid) {
        bound.add(uid);
    }

    boolean isMemberBound(String uid) {
        return bound.contains(uid);
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
