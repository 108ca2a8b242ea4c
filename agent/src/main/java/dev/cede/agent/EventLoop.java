package dev.cede.agent;

import dev.cede.agent.core.NodeCore;
import dev.cede.agent.core.NodeEffect;
import dev.cede.agent.core.NodeEvent;
import dev.cede.agent.core.NodeState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread that decides: events in, effects out, in order. */
final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** Carries effects out, on the loop's thread; what may take long it hands on. */
    interface Runner {
        /** Throws {@link IOException} where the checkpoint is not on disk. */
        void save(NodeEffect.Save save) throws IOException;

        void run(NodeEffect effect);

        /** The step did not happen: whoever waits for its answer must know. */
        void discard(NodeEffect effect, String reason);
    }

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "cede-loop"));
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final Duration tick;
    private NodeState state;
    private Runner runner;

    EventLoop(NodeState state, Duration tick) {
        this.state = state;
        this.tick = tick;
    }

    void start(Runner effects) {
        thread.execute(() -> runner = effects);
        var unused = thread.scheduleWithFixedDelay(
                () -> step(new NodeEvent.Tick()), 0, tick.toMillis(), TimeUnit.MILLISECONDS);
    }

    void post(NodeEvent event) {
        try {
            thread.execute(() -> step(event));
        } catch (RejectedExecutionException e) {
            LOG.debug("event=loop_closed_already");
        }
    }

    CompletableFuture<String> failure() {
        return failure;
    }

    private void step(NodeEvent event) {
        try {
            NodeCore.Step step = NodeCore.step(state, event, now());
            if (saved(step.effects())) {
                state = step.state();
                step.effects().stream()
                        .filter(effect -> !(effect instanceof NodeEffect.Save))
                        .forEach(runner::run);
            }
        } catch (RuntimeException e) {
            LOG.error("event=bug while={}", event, e);
            failure.complete("the agent cannot go on: " + e.getMessage());
            thread.shutdown();
        }
    }

    /** What is not on disk has not happened; the old state stands and nothing of the step leaves. */
    private boolean saved(List<NodeEffect> effects) {
        for (NodeEffect effect : effects) {
            if (effect instanceof NodeEffect.Save save) {
                try {
                    runner.save(save);
                } catch (IOException e) {
                    LOG.error("event=checkpoint_not_saved reason=\"{}\"", e.getMessage());
                    effects.forEach(each -> runner.discard(each, "the agent's disk: " + e));
                    return false;
                }
            }
        }
        return true;
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
