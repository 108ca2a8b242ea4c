package dev.cede.coordinator.kubernetes;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Runs tasks at once, but those of one key one after another, in their order. */
final class Lanes {
    private final Executor executor;
    private final Map<String, CompletableFuture<Void>> last = new HashMap<>();

    Lanes(Executor executor) {
        this.executor = executor;
    }

    /** A task must not throw. */
    synchronized void run(String key, Runnable task) {
        CompletableFuture<Void> before = last.get(key);
        CompletableFuture<Void> now = before == null
                ? CompletableFuture.runAsync(task, executor)
                : before.thenRunAsync(task, executor);
        last.put(key, now);
        now.whenComplete((done, error) -> forget(key, now));
    }

    private synchronized void forget(String key, CompletableFuture<Void> done) {
        last.remove(key, done);
    }
}
