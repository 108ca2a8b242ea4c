package dev.cede.sandbox.gang;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.gang.Gate.Call;
import dev.cede.sandbox.gang.Gate.Hold;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Somebody is away in the middle of a gang's preemption, after its first eviction: nothing unsafe
 * happens meanwhile, and all goes on by itself when they are back.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PeersAwayIT extends GatedGang {
    /** Longer than a ZooKeeper session. */
    private static final Duration AWAY =
            Duration.ofSeconds(Long.getLong("sandbox.away.seconds", 12));

    PeersAwayIT() {
        super(2);
    }

    /** One is evicted; the other evictions wait for what the test does. */
    private Hold evictTheFirst() {
        world.fill(Map.of());
        Hold hold = gate.hold(Call.EVICT, 1);
        world.createGang();
        hold.await(SIZE - 1);
        gate.awaitDone(Call.EVICT, 1);
        return hold;
    }

    /** @param comeBack whatever happens, for the sake of the next test */
    private void stayAway(Runnable comeBack) {
        try {
            Await.during(AWAY, () -> {
                world.assertUntouched();
                assertEquals(List.of(), gate.done(Call.BIND), "nobody may be bound now");
            });
        } finally {
            comeBack.run();
        }
        assertPlacedWhole();
    }

    private String victimThatIsStillThere() {
        return world.victims().stream()
                .filter(victim -> !gate.done(Call.EVICT).contains(victim))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void E12_E13_theApiServerIsAwayAfterTheFirstEviction() {
        Hold hold = evictTheFirst();
        takeTheApiServerAway();
        hold.lose();
        stayAway(() -> gate.away(false));
    }

    @Test
    void E13_zooKeeperIsAwayAfterTheFirstEviction() {
        Hold hold = evictTheFirst();
        sandbox.machines().stopZooKeeper();
        hold.letGo();
        stayAway(sandbox.machines()::startZooKeeper);
    }

    /** E9: nobody measures the release on its node meanwhile, and the deadline stands still. */
    @Test
    void E9_E13_anAgentIsAwayAfterTheFirstEviction() {
        Hold hold = evictTheFirst();
        String node = world.nodeOf(victimThatIsStillThere());
        sandbox.machines().killAgent(node);
        hold.letGo();
        stayAway(() -> sandbox.machines().startAgent(node));
    }
}
