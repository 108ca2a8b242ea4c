package dev.cede.coordinator.app;

import dev.cede.coordinator.agents.AgentLinks;
import dev.cede.coordinator.kubernetes.KubernetesEffects;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.zookeeper.Leadership;
import dev.cede.model.Epoch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands each effect to the part that carries it out. */
final class EffectRunner implements EventLoop.EffectSink {
    private static final Logger DECISIONS = LoggerFactory.getLogger("cede.decisions");

    private final KubernetesEffects kubernetes;
    private final Leadership leadership;
    private final AgentLinks agents;
    private final Health health;
    private Epoch term = Epoch.NONE;

    EffectRunner(
            KubernetesEffects kubernetes, Leadership leadership, AgentLinks agents, Health health) {
        this.kubernetes = kubernetes;
        this.leadership = leadership;
        this.agents = agents;
        this.health = health;
    }

    /** Effects belong to the term that the state machine knows of, not to the last one begun. */
    @Override
    public void before(Event event) {
        if (event instanceof Event.LeadershipGained gained) {
            term = gained.epoch();
            kubernetes.term(term.value());
        } else if (event instanceof Event.LeadershipLost) {
            term = Epoch.NONE;
            kubernetes.term(term.value());
        }
    }

    @Override
    public void after(Event event) {
        if (event instanceof Event.LeadershipGained) {
            agents.lead();
            health.leading(true);
        } else if (event instanceof Event.LeadershipLost) {
            agents.stop();
            health.leading(false);
        }
    }

    @Override
    public void run(Effect effect) {
        switch (effect) {
            case Effect.SavePlan save -> leadership.save(save.plan());
            case Effect.ReplacePlan replace ->
                leadership.replace(replace.old(), replace.reason(), replace.successor());
            case Effect.ClosePlan close -> leadership.closePlan(term, close.plan(), close.reason());
            case Effect.StepDown down -> leadership.stepDown(down.term(), down.met());
            case Effect.Send send -> agents.send(send);
            case Effect.Bind bind -> kubernetes.bind(bind);
            case Effect.Nominate nominate -> kubernetes.nominate(nominate);
            case Effect.ReportPending report -> kubernetes.reportPending(report);
            case Effect.Evict evict -> kubernetes.evict(evict);
            case Effect.RollBack rollBack -> kubernetes.rollBack(rollBack);
            case Effect.Fence fence -> kubernetes.fence(fence);
            case Effect.ReadPod read -> kubernetes.readPod(read);
            case Effect.FindPod find -> kubernetes.findPod(find);
            case Effect.AnnounceNode announce -> kubernetes.announceNode(announce);
            case Effect.MoveGroup move -> kubernetes.moveGroup(move);
            case Effect.Announce announce -> kubernetes.announce(announce);
            case Effect.Log log -> DECISIONS.info("{}", log.line());
            case Effect.WakeAt wake ->
                throw new IllegalStateException("the loop keeps the time: " + wake);
        }
    }
}
