package dev.cede.coordinator.app;

import dev.cede.coordinator.loop.Core;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.coordinator.loop.Snapshot;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The one thread that drives the state machine: takes events in their order, and hands out the
 * effects. An exception out of it is a bug: the loop ends, and the process with it.
 */
public final class EventLoop implements EventSink, AutoCloseable {
    /** Events that may wait before sources are made to wait. */
    static final int BACKLOG = 10_000;

    /** How long a source that waits sleeps before it looks again. */
    private static final Duration PACE = Duration.ofMillis(5);

    /** Longest wait before the clock is looked at again. */
    private static final Duration NAP = Duration.ofMinutes(1);

    private final Core core;
    private final InstantSource clock;
    private final Consumer<Throwable> onBug;
    private final LinkedBlockingQueue<Work> queue = new LinkedBlockingQueue<>();
    private volatile Thread thread;
    private Instant latest = Instant.MIN;
    private Optional<Instant> wakeAt = Optional.empty();

    private sealed interface Work {}

    private record Happened(Event event) implements Work {}

    private record Asked(CompletableFuture<Snapshot> answer) implements Work {}

    /** Carries effects out, in the loop's thread and without waiting for anything. */
    interface EffectSink {
        /** The event was taken, and its effects follow. */
        void before(Event event);

        void run(Effect effect);

        /** All effects of the event were handed out. */
        void after(Event event);
    }

    EventLoop(Core core, InstantSource clock, Consumer<Throwable> onBug) {
        this.core = core;
        this.clock = clock;
        this.onBug = onBug;
    }

    /** Events posted before are taken first. */
    void start(EffectSink effects) {
        thread = Thread.ofPlatform().name("cede-loop").start(() -> run(effects));
    }

    @Override
    public void post(Event event) {
        queue.add(new Happened(event));
    }

    @Override
    public void pace() {
        while (queue.size() > BACKLOG && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(PACE.toNanos());
        }
    }

    /** What the state machine shows, as of the events posted before. */
    public CompletableFuture<Snapshot> snapshot() {
        CompletableFuture<Snapshot> answer = new CompletableFuture<>();
        queue.add(new Asked(answer));
        return answer;
    }

    private void run(EffectSink effects) {
        try {
            while (true) {
                step(effects);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            onBug.accept(e);
        }
    }

    private void step(EffectSink effects) throws InterruptedException {
        Work work = next();
        if (work instanceof Asked asked) {
            asked.answer().complete(core.snapshot());
        } else if (work instanceof Happened happened) {
            take(happened.event(), effects);
        } else {
            wakeAt = Optional.empty();
            take(new Event.Tick(), effects);
        }
    }

    /** Null when it is time for a tick, however many events wait. */
    private Work next() throws InterruptedException {
        if (wakeAt.isEmpty()) {
            return queue.take();
        }
        Instant now = clock.instant();
        if (!wakeAt.get().isAfter(now)) {
            return null;
        }
        // Looked at again now and then, since a clock may be set.
        Instant until = wakeAt.get().isBefore(now.plus(NAP)) ? wakeAt.get() : now.plus(NAP);
        Work work = queue.poll(Duration.between(now, until).toNanos(), TimeUnit.NANOSECONDS);
        return work == null && wakeAt.get().isAfter(clock.instant()) ? next() : work;
    }

    private void take(Event event, EffectSink effects) {
        effects.before(event);
        for (Effect effect : core.on(event, now())) {
            if (effect instanceof Effect.WakeAt wake) {
                wakeAt = wakeAt.filter(time -> time.isBefore(wake.time()))
                        .or(() -> Optional.of(wake.time()));
            } else {
                effects.run(effect);
            }
        }
        effects.after(event);
    }

    /** Never earlier than before, even if the clock was set back. */
    private Instant now() {
        Instant now = clock.instant();
        latest = now.isAfter(latest) ? now : latest;
        return latest;
    }

    /** Events that still wait are dropped. */
    @Override
    public void close() {
        Thread started = thread;
        if (started != null) {
            started.interrupt();
        }
    }
}
