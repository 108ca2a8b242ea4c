package dev.cede.sandbox.gang;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A workload of three that fits only by evicting from three nodes: all of it, or nobody leaves. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GangIT extends GatedGang {
    GangIT() {
        super(1);
    }

    @Test
    void E1_threeThatFitOnlyByEvictingFromThreeNodesArePlacedWhole() {
        world.fill(Map.of());
        world.createGang();
        assertPlacedByOnePlan();
    }

    @Test
    void E1_soAreThreeThatAreCreatedOneAfterAnother() {
        world.fill(Map.of());
        world.createGangOneByOne();
        assertPlacedByOnePlan();
    }

    @Test
    void B60_V06_whereTheThirdHasNoPlaceNobodyIsEvictedAndTheReasonNamesIt() {
        world.fillWithoutTheLastPlace();
        world.createGang();
        assertNobodyIsEvictedUntilThereIsAPlace();
    }

    @Test
    void B60_V06_norIsAnybodyWhereTheyAreCreatedOneAfterAnother() {
        world.fillWithoutTheLastPlace();
        world.createGangOneByOne();
        assertNobodyIsEvictedUntilThereIsAPlace();
    }

    private void assertNobodyIsEvictedUntilThereIsAPlace() {
        world.awaitNoPlaceForTheLast();
        world.assertNobodyWasEvicted();
        world.clearTheLastPlace();
        assertPlacedWhole();
    }
}
