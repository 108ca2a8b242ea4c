package dev.cede.sandbox.gang;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.sandbox.cluster.FreshSandbox;
import dev.cede.sandbox.gang.Gate.Call;
import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.sandbox.kubernetes.StandIn;
import dev.cede.sandbox.machine.Machines;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A gang on three nodes that stand for real ones, with a gate before their API server. All tests of
 * a class are played on the same ones, one after another.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GatedGang {
    static final int SIZE = 3;

    final Gate gate = new Gate();
    private StandIn standIn;

    @RegisterExtension
    final FreshSandbox sandbox;

    GangWorld world;

    GatedGang(int coordinators) {
        sandbox = new FreshSandbox(
                () -> Machines.of(this::gated, Path.of(".")),
                machines -> machines.start(coordinators, GangWorld.SETTINGS));
    }

    private StandIn gated(Path folder) {
        standIn = StandIn.of(SIZE, GangWorld.CARDS).apply(folder);
        gate.standBefore(standIn.server());
        return standIn;
    }

    @BeforeEach
    final void open() {
        gate.letAllPass();
        world = new GangWorld(sandbox, GpuNode::devicePlugins);
        gate.forget(); // what was done while it was cleared
    }

    @AfterEach
    final void close() {
        world.close();
    }

    /** From now on nobody is answered, and no watch is left. */
    final void takeTheApiServerAway() {
        gate.away(true);
        standIn.server().dropWatches();
    }

    final void assertPlacedByOnePlan() {
        assertPlacedWhole();
        world.assertPlacedByOnePlan();
    }

    final void assertPlacedWhole() {
        world.assertPlacedWhole();
        assertEquals(world.victims(), gate.done(Call.EVICT).stream().sorted().toList());
        List<String> bound = gate.done(Call.BIND);
        assertEquals(SIZE, bound.size(), () -> "one Binding each: " + bound);
    }
}
