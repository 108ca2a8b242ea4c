package dev.cede.coordinator.simulation;

import dev.cede.coordinator.loop.Effect;

/** One stream between an agent and a coordinator: ordered both ways, until it breaks. */
final class Stream {
    private static final long MOST_DELAY = 8;
    private static final long SLOWEST = 1_500;

    final Agent agent;
    final Coordinator coordinator;

    /** As the coordinator counts its streams; 0 before it has taken this one. */
    long number;

    private final World world;
    private final Draws draws;
    private long lastUp;
    private long lastDown;
    private boolean broken;

    Stream(World world, Agent agent, Coordinator coordinator, Draws draws) {
        this.world = world;
        this.agent = agent;
        this.coordinator = coordinator;
        this.draws = draws;
    }

    /** From the agent, in order. */
    void up(Runnable arrives) {
        lastUp = Math.max(lastUp, world.time.now() + delay());
        world.time.at(lastUp, () -> {
            if (!broken) {
                coordinator.process().now(arrives);
            }
        });
    }

    /** From the coordinator, in order; by chance twice, or once more in another term. */
    void down(Effect.Send send) {
        deliver(send);
        if (draws.chance(world.faults.rates().doubled())) {
            deliver(send);
            world.tally.count("orders doubled");
        }
        if (draws.chance(world.faults.rates().doubled() / 2)) {
            world.time.after(draws.between(500, 15_000), () -> haunt(send));
        }
    }

    private void deliver(Effect.Send send) {
        down(() -> agent.received(this, send));
    }

    void down(Runnable arrives) {
        lastDown = Math.max(lastDown, world.time.now() + delay());
        world.time.at(lastDown, () -> {
            if (!broken) {
                agent.process().now(arrives);
            }
        });
    }

    private void haunt(Effect.Send send) {
        if (send.epoch().isOlderThan(world.zookeeper.epoch())) {
            agent.site().agent().ifPresent(now -> now.ordered(send));
        }
    }

    private long delay() {
        return world.faults.delay(draws, MOST_DELAY, SLOWEST);
    }

    /** What is under way is lost; both ends hear of it, each in its own time. */
    void breaks() {
        if (broken) {
            return;
        }
        broken = true;
        world.time.after(
                draws.skewed(1, 1_000),
                () -> coordinator.process().now(() -> coordinator.links().ended(this)));
        world.time.after(
                draws.skewed(1, 1_000), () -> agent.process().now(() -> agent.ended(this, "")));
    }

    /** Closed by the coordinator, which may name the leader. */
    void closed(String leader) {
        down(() -> agent.ended(this, leader));
    }
}
