package dev.cede.sandbox.gang;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.sandbox.gang.Gate.Call;
import dev.cede.sandbox.gang.Gate.Hold;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The leader is killed at each step of a gang's preemption, and the other coordinator takes over
 * (B61): all three run, the three victims were evicted once, and nobody else was.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KilledCoordinatorIT extends GatedGang {
    KilledCoordinatorIT() {
        super(2);
    }

    private Hold holdInAGang(Call kind, int free) {
        world.fill(Map.of());
        Hold hold = gate.hold(kind, free);
        world.createGang();
        hold.await(SIZE - free);
        gate.awaitDone(kind, free);
        return hold;
    }

    @Test
    void B61_killedAfterThePlanWasSaved() {
        world.killTheLeaderAfterThePlanWasSaved();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedAfterTheAgentsHold() {
        Hold hold = holdInAGang(Call.MARK, 0);
        assertEquals(SIZE, world.held(), "members with a hold");
        world.leaders().kill();
        hold.lose();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedBetweenTheEvictions() {
        Hold hold = holdInAGang(Call.EVICT, 1);
        world.leaders().kill();
        hold.lose();
        assertPlacedByOnePlan();
    }

    /** Those of the dead one arrive among those of its successor. */
    @Test
    void B61_killedBetweenTheEvictionsOfWhichTwoArriveLate() {
        Hold hold = holdInAGang(Call.EVICT, 1);
        world.leaders().kill();
        world.leaders().leader();
        hold.letGo();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedWhileTheVictimsRelease() {
        world.killTheLeaderWhileTheVictimsRelease();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedBeforeTheBindings() {
        Hold hold = holdInAGang(Call.BIND, 0);
        world.leaders().kill();
        hold.lose();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedBetweenTheBindings() {
        Hold hold = holdInAGang(Call.BIND, 1);
        world.leaders().kill();
        hold.lose();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedBetweenTheBindingsOfWhichTwoArriveLate() {
        Hold hold = holdInAGang(Call.BIND, 1);
        world.leaders().kill();
        world.leaders().leader();
        hold.letGo();
        assertPlacedByOnePlan();
    }

    @Test
    void B61_killedAfterTheBindingsAndBeforeTheStart() {
        Hold hold = holdInAGang(Call.START, 0);
        gate.awaitDone(Call.BIND, SIZE);
        world.leaders().kill();
        hold.letGo();
        assertPlacedByOnePlan();
    }
}
