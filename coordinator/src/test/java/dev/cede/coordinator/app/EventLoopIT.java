package dev.cede.coordinator.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.cede.coordinator.loop.Core;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.model.Epoch;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The loop in its own thread, with a state machine that only repeats what it is told. */
@Timeout(60)
class EventLoopIT {
    private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> bug = new CompletableFuture<>();

    /** Answers a lost node with a wake-up, and says every event as a line of the log. */
    private static final class Echo implements Core {
        private final Instant wake;

        Echo(Instant wake) {
            this.wake = wake;
        }

        @Override
        public List<Effect> on(Event event, Instant now) {
            Effect line = new Effect.Log(event.getClass().getSimpleName());
            if (!(event instanceof Event.NodeGone gone)) {
                return List.of(line);
            }
            if (gone.node().equals("bug")) {
                throw new IllegalStateException("a bug");
            }
            return List.of(line, new Effect.WakeAt(wake), new Effect.WakeAt(Instant.MAX));
        }

        @Override
        public Snapshot snapshot() {
            return Snapshot.empty(true, new Epoch(9));
        }
    }

    private final class Recorder implements EventLoop.EffectSink {
        @Override
        public void before(Event event) {
            seen.add("before " + event.getClass().getSimpleName());
        }

        @Override
        public void run(Effect effect) {
            seen.add(((Effect.Log) effect).line());
        }

        @Override
        public void after(Event event) {
            seen.add("after " + event.getClass().getSimpleName());
        }
    }

    private EventLoop loop(Instant wake) {
        return new EventLoop(new Echo(wake), InstantSource.system(), bug::complete);
    }

    private void assertSeen(String... lines) throws InterruptedException {
        for (String line : lines) {
            assertEquals(line, seen.poll(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void eventsAreTakenInOrderAndATickComesWhenItIsTime() throws Exception {
        try (EventLoop loop = loop(Instant.now().plusMillis(50))) {
            loop.post(new Event.CachesSynced());
            loop.post(new Event.NodeGone("n"));
            loop.start(new Recorder());
            assertSeen("before CachesSynced", "CachesSynced", "after CachesSynced");
            assertSeen("before NodeGone", "NodeGone", "after NodeGone");
            assertSeen("before Tick", "Tick", "after Tick");
        }
    }

    @Test
    void aSnapshotFollowsTheEventsBeforeIt() throws Exception {
        try (EventLoop loop = loop(Instant.MAX)) {
            loop.post(new Event.NodeGone("n"));
            CompletableFuture<Snapshot> asked = loop.snapshot();
            loop.start(new Recorder());
            assertEquals(new Epoch(9), asked.get(30, TimeUnit.SECONDS).epoch());
            assertSeen("before NodeGone", "NodeGone", "after NodeGone");
        }
    }

    @Test
    void aBugEndsTheLoopAndIsTold() throws Exception {
        try (EventLoop loop = loop(Instant.MAX)) {
            loop.post(new Event.NodeGone("bug"));
            loop.post(new Event.CachesSynced());
            loop.start(new Recorder());
            assertSame(
                    IllegalStateException.class, bug.get(30, TimeUnit.SECONDS).getClass());
            assertSeen("before NodeGone");
            assertEquals(0, seen.size());
        }
    }
}
