package dev.cede.coordinator.kubernetes;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs tasks at once, but those of one key one after another, in their order. */
final class Lanes {
    private final Executor executor;
    private final Map<String, Queue<Runnable>> waiting = new HashMap<>();

    Lanes(Executor executor) {
        this.executor = executor;
    }

    /** A task must not throw. */
    void run(String key, Runnable task) {
        if (startsLane(key, task)) {
            executor.execute(() -> work(key, task));
        }
    }

    private synchronized boolean startsLane(String key, Runnable task) {
        Queue<Runnable> lane = waiting.get(key);
        if (lane == null) {
            waiting.put(key, new ArrayDeque<>());
            return true;
        }
        lane.add(task);
        return false;
    }

    private void work(String key, Runnable first) {
        Optional<Runnable> task = Optional.of(first);
        while (task.isPresent()) {
            task.get().run();
            task = next(key);
        }
    }

    private synchronized Optional<Runnable> next(String key) {
        Runnable next = waiting.get(key).poll();
        if (next == null) {
            waiting.remove(key);
        }
        return Optional.ofNullable(next);
    }
}
