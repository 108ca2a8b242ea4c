package dev.cede.coordinator.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Waits after failed effects, never after a decision that found no room (E12). */
final class Backoff {
    private record Wait(Duration last, Instant until) {}

    private final Duration first;
    private final Duration most;
    private final Map<String, Wait> waits = new HashMap<>();

    Backoff(Duration first, Duration most) {
        this.first = first;
        this.most = most;
    }

    /** Another effect for this key failed. */
    Instant failed(String key, Instant now) {
        Wait before = waits.get(key);
        Duration next = before == null || before.last.isZero()
                ? first
                : min(before.last.multipliedBy(2), most);
        return wait(key, next, now);
    }

    /** An effect failed for being based on old facts: the first time that costs no wait. */
    Instant outdated(String key, Instant now) {
        return waits.containsKey(key) ? failed(key, now) : wait(key, Duration.ZERO, now);
    }

    private Instant wait(String key, Duration duration, Instant now) {
        Instant until = now.plus(duration);
        waits.put(key, new Wait(duration, until));
        return until;
    }

    void succeeded(String key) {
        waits.remove(key);
    }

    /** Nothing will ever be tried again for this pod. */
    void forgetPod(String uid) {
        waits.keySet().removeIf(key -> key.endsWith(uid));
    }

    /** When the key may be tried again; in the past when it may be now. */
    Instant until(String key) {
        Wait wait = waits.get(key);
        return wait == null ? Instant.MIN : wait.until;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
