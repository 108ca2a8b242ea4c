package dev.cede.sandbox.eyes;

import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.sandbox.kubernetes.Kubernetes;
import dev.cede.sandbox.play.Sighting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** All that looks at a cluster during a run. */
public final class Eyes implements AutoCloseable {
    private final Witness witness;
    private final ApiEye api;
    private final List<CardEye> cards = new ArrayList<>();

    private Eyes(Witness witness, ApiEye api) {
        this.witness = witness;
        this.api = api;
    }

    /**
     * Opens them.
     *
     * @param agents where the agents' services are
     * @param clock time since the start of the run
     * @param row takes what is seen
     */
    public static Eyes open(
            Kubernetes kubernetes,
            Collection<String> agents,
            Supplier<Duration> clock,
            Consumer<Sighting> row) {
        LiveProcesses alive = new LiveProcesses(
                kubernetes.nodes().stream().map(GpuNode::procRoot).toList());
        Witness witness = new Witness(clock, row, alive);
        Eyes eyes = new Eyes(
                witness, ApiEye.open(kubernetes.client(), kubernetes.namespace(), witness));
        agents.forEach(address -> eyes.cards.add(CardEye.open(address, witness::cards)));
        return eyes;
    }

    @Override
    public void close() {
        cards.forEach(CardEye::close);
        api.close();
        witness.close();
    }
}
