package dev.cede.coordinator.loop;

import java.time.Instant;
import java.util.List;

/** A state machine that an event loop drives; called by one thread only. */
public interface Core {
    /**
     * Takes an event.
     *
     * @param now when it was taken; never earlier than at the call before
     * @return what is to be done, in this order
     */
    List<Effect> on(Event event, Instant now);

    /** What inspection may show now. */
    Snapshot snapshot();
}
