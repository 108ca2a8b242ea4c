package dev.cede.sandbox.gang;

import dev.cede.sandbox.cluster.ChosenNodes;
import dev.cede.sandbox.cluster.FreshSandbox;
import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.testbed.cluster.ClusterNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A gang that needs a place on every node of the real cluster, which has two or more, and the leader
 * killed at those steps of its preemption that can be hit without holding calls back.
 */
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GangClusterIT {
    private static final List<ClusterNode> NODES = ChosenNodes.all();

    @RegisterExtension
    final FreshSandbox sandbox = new FreshSandbox(
            () -> ChosenNodes.sandbox(NODES, GangWorld.CARDS, Path.of(".")),
            machines -> machines.start(2, GangWorld.SETTINGS));

    private GangWorld world;

    @BeforeEach
    void open() {
        world = new GangWorld(sandbox, GangClusterIT::devicePlugins);
    }

    private static Path devicePlugins(GpuNode node) {
        return NODES.stream()
                .filter(machine -> machine.name().equals(node.name()))
                .findFirst()
                .orElseThrow()
                .devicePluginDirectory();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void E1_aGangThatFitsOnlyByEvictingFromEachNodeIsPlacedWhole() {
        world.fill(Map.of());
        world.createGang();
        world.assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }

    @Test
    void E1_soIsOneThatIsCreatedPodByPod() {
        world.fill(Map.of());
        world.createGangOneByOne();
        world.assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }

    @Test
    void B60_V06_whereTheLastHasNoPlaceNobodyIsEvictedAndTheReasonNamesIt() {
        world.fillWithoutTheLastPlace();
        world.createGang();
        world.awaitNoPlaceForTheLast();
        world.assertNobodyWasEvicted();
        world.clearTheLastPlace();
        world.assertPlacedWhole();
    }

    @Test
    void B61_killedAfterThePlanWasSaved() {
        world.killTheLeaderAfterThePlanWasSaved();
        world.assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }

    @Test
    void B61_killedWhileTheVictimsRelease() {
        world.killTheLeaderWhileTheVictimsRelease();
        world.assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }

    /** Before kubelet has started it: that takes longer than it is to be told of the Binding. */
    @Test
    void B61_killedWhenTheFirstMemberIsBound() {
        world.fill(Map.of());
        world.createGang();
        world.awaitAMemberIsBound();
        world.leaders().kill();
        world.assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }
}
