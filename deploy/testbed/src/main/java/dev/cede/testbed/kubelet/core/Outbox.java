package dev.cede.testbed.kubelet.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The effects of one step, and the time at which it is made. */
final class Outbox {
    private final Instant now;
    private final List<Effect> effects = new ArrayList<>();

    Outbox(Instant now) {
        this.now = now;
    }

    Instant now() {
        return now;
    }

    void add(Effect effect) {
        effects.add(effect);
    }

    List<Effect> effects() {
        return List.copyOf(effects);
    }
}
