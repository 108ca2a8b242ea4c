package dev.cede.coordinator.loop;

import java.time.Instant;
import java.util.List;

/** The coordinator's state machine, as its event loop drives it: one call at a time. */
public interface Core {
    /** Takes an event and says what is to be done, in this order. */
    List<Effect> on(Event event, Instant now);

    /** What inspection may show now. */
    Snapshot snapshot();
}
