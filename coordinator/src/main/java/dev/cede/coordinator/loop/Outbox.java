package dev.cede.coordinator.loop;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the effects of one event, and the earliest time at which to look again. */
final class Outbox {
    private final List<Effect> effects = new ArrayList<>();
    private Optional<Instant> wake = Optional.empty();

    void add(Effect effect) {
        effects.add(effect);
    }

    /** Asks for a tick at that time, or an earlier one. */
    void wakeAt(Instant time) {
        wake = Optional.of(wake.filter(earlier -> earlier.isBefore(time)).orElse(time));
    }

    List<Effect> drain() {
        wake.ifPresent(time -> effects.add(new Effect.WakeAt(time)));
        wake = Optional.empty();
        List<Effect> drained = List.copyOf(effects);
        effects.clear();
        return drained;
    }
}
