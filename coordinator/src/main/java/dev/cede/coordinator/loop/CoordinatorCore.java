package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Snapshot.Cause;
import dev.cede.model.Epoch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The coordinator's state machine. Each event is noted first; then the steps compare what is wanted
 * with what pods and agents show, and bring the one nearer to the other. Nothing is remembered of how
 * far a thing is that cannot be read back, so a new leader goes on where the old one stopped.
 */
public final class CoordinatorCore implements Core {
    private final LoopState state;
    private final Releases releases;
    private final Fences fences;
    private final Rivals rivals;
    private final GroupPhases groupPhases;
    private final UnitStatuses unitStatuses;
    private final Claims claims;
    private final Binder binder;
    private final Evictions evictions;
    private final Plans plans;
    private final Workloads workloads;
    private final Reasons reasons;
    private final Scheduler scheduler;
    private final Snapshots snapshots;

    public CoordinatorCore(LoopSettings settings) {
        state = new LoopState(settings);
        releases = new Releases(state);
        fences = new Fences(state, releases);
        rivals = new Rivals(state);
        groupPhases = new GroupPhases(state);
        unitStatuses = new UnitStatuses(state);
        HandOvers handOvers = new HandOvers(state, releases);
        claims = new Claims(state, releases, fences, handOvers);
        binder = new Binder(state, releases, fences);
        evictions = new Evictions(state, fences);
        plans = new Plans(state, releases, fences, evictions, handOvers);
        workloads = new Workloads(state);
        reasons = new Reasons(state);
        scheduler = new Scheduler(state, workloads, plans, reasons);
        snapshots = new Snapshots(state, reasons, binder, releases);
    }

    @Override
    public List<Effect> on(Event event, Instant now) {
        state.now = now;
        note(event);
        if (state.acting()) {
            releases.step();
            claims.step();
            rivals.step();
            plans.step();
            scheduler.step();
            // Claims of this event leave at once: release to bind takes no timer (K06).
            claims.step();
            plans.step();
            binder.step();
            groupPhases.step();
            unitStatuses.step();
            explainClaims();
        }
        return state.out.drain();
    }

    @Override
    public Snapshot snapshot() {
        return snapshots.take();
    }

    private void note(Event event) {
        switch (event) {
            case Event.LeadershipGained gained -> gained(gained);
            case Event.LeadershipSuspended suspended -> state.suspended = true;
            case Event.LeadershipResumed resumed -> state.suspended = false;
            case Event.LeadershipLost lost -> forgetTerm();
            case Event.CachesSynced synced -> state.synced = true;
            case Event.PodSeen seen -> podSeen(seen.pod());
            case Event.PodGone gone -> podGone(gone);
            case Event.NodeSeen seen -> {
                state.nodeSeen(seen.node());
                changed(state.cluster.put(seen.node()));
            }
            case Event.NodeGone gone -> {
                state.nodeGone(gone.node());
                state.cluster.nodeGone(gone.node());
                unitStatuses.nodeGone(gone.node());
                changed(true);
            }
            case Event.OwnerSeen seen -> changed(state.cluster.put(seen.owner()));
            case Event.OwnerGone gone -> state.cluster.ownerGone(gone.uid());
            case Event.GroupSeen seen -> changed(state.cluster.put(seen.group()));
            case Event.GroupGone gone -> {
                state.cluster.groupGone(gone.group());
                groupPhases.forget(gone.group());
            }
            case Event.GroupNotMoved not -> {
                groupPhases.onNotMoved(not.group(), not.failure());
                changed(true);
            }
            case Event.AgentReported reported -> agentReported(reported);
            case Event.AgentDetached detached -> agentDetached(detached);
            case Event.OrderAnswered answered -> answered(answered);
            case Event.AllocationRefused refused -> allocationRefused(refused);
            case Event.PlanSaved saved -> plans.onSaved(saved.plan());
            case Event.PlanNotSaved failed -> plans.onNotSaved(failed.plan(), failed.reason());
            case Event.PlanClosed closed -> {}
            case Event.Bound bound -> binder.onBound(bound.pod());
            case Event.BindFailed failed -> binder.onFailed(failed.pod(), failed.failure());
            case Event.Evicted evicted -> {
                evictions.onEvicted(evicted.victim());
                changed(true);
            }
            case Event.EvictFailed failed -> evictions.onFailed(failed.victim(), failed.failure());
            case Event.PodRead read -> podRead(read);
            case Event.PodReadFailed failed -> releases.onReadFailed(failed.asked());
            case Event.Fenced fenced -> {
                podSeen(fenced.pod());
                fences.onFenced(fenced.pod());
            }
            case Event.FenceFailed failed -> fences.onFailed(failed.pod(), failed.failure());
            case Event.SettingsChanged settings -> {
                state.planner = settings.settings();
                changed(true);
            }
            case Event.Tick tick -> changed(true);
        }
    }

    private void changed(boolean matters) {
        if (matters) {
            state.world++;
        }
    }

    private void gained(Event.LeadershipGained gained) {
        forgetTerm();
        state.termBegins(gained.epoch());
        gained.open().forEach(plans::resume);
        state.log("leading=true plans=" + gained.open().size());
        state.cluster.pods().forEach(pod -> met(pod.fence()));
    }

    private void forgetTerm() {
        state.forgetTerm();
        releases.forgetTerm();
        fences.forgetTerm();
        rivals.forgetTerm();
        groupPhases.forgetTerm();
        unitStatuses.forgetTerm();
    }

    /** A term above ours, past or present, wherever it shows: we do not lead, or must not as this. */
    private void met(Epoch other) {
        if (state.acting() && state.epoch.isOlderThan(other)) {
            state.deposed = true;
            state.out.add(new Effect.StepDown(state.epoch, other));
            state.log("leading=false met=" + other);
        }
    }

    private void podSeen(PodFacts pod) {
        rivals.seen(state.cluster.pod(pod.uid()), pod);
        changed(state.cluster.put(pod));
        unitStatuses.seen(pod);
        met(pod.fence());
    }

    private void podGone(Event.PodGone gone) {
        state.cluster.podGone(gone.pod());
        workloads.forget(gone.pod().uid());
        fences.forget(gone.pod().uid());
        reasons.forget(gone.pod().uid());
        state.backoff.forgetPod(gone.pod().uid());
        changed(true);
    }

    private void podRead(Event.PodRead read) {
        releases.onRead(read);
        binder.onRead(read.asked());
        fences.onRead(read.asked());
        read.found().map(PodFacts::fence).ifPresent(this::met);
        changed(true);
    }

    private void agentReported(Event.AgentReported event) {
        met(event.report().highestEpoch());
        rivals.reported(event.node());
        AgentState agent = state.agents.get(event.node());
        if (agent == null) {
            state.agents.put(
                    event.node(), new AgentState(event.stream(), event.report(), state.now));
            changed(true);
            return;
        }
        agent.awaySince()
                .ifPresent(
                        since -> releases.agentWasAway(agent, Duration.between(since, state.now)));
        changed(agent.reported(event.stream(), event.report(), state.now));
    }

    private void agentDetached(Event.AgentDetached event) {
        state.agent(event.node()).ifPresent(agent -> {
            agent.detached(event.stream(), state.now);
            state.log("agent=away node=" + event.node());
            changed(true);
        });
    }

    private void answered(Event.OrderAnswered event) {
        Optional<AgentState> agent =
                state.agent(event.node()).filter(a -> a.stream() == event.stream());
        if (agent.isEmpty()) {
            return;
        }
        if (agent.get().welcomeAnswered(event.result().orderId(), event.result().done())) {
            state.log("agent=welcomed node=" + event.node());
            changed(true);
        }
        claims.onAnswer(event.node(), event.result())
                .forEach(claim -> plans.onRefused(claim, event.result().reason()));
    }

    private void allocationRefused(Event.AllocationRefused refused) {
        state.log(
                "allocation=refused node=" + refused.node() + " why=\"" + refused.reason() + "\"");
        if (state.acting()) {
            refused.pod()
                    .ifPresent(pod -> state.out.add(
                            new Effect.Announce(pod, true, "AllocationRefused", refused.reason())));
        }
    }

    /** Pods with a place that is not free yet say what they wait for (E8). */
    private void explainClaims() {
        for (Claim claim : state.claims.values()) {
            if (!claim.inFlight()) {
                String waits = Waiting.of(state, claim);
                state.cluster
                        .pod(claim.pod().uid())
                        .filter(pod -> !pod.bound() && !waits.isEmpty())
                        .ifPresent((PodFacts pod) -> reasons.waiting(pod, Cause.WAITS, waits));
            }
        }
    }
}
