package dev.cede.sandbox.play;

import dev.cede.sandbox.scenario.Action;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** What a scenario is played on. */
public interface Cluster {
    /** An action that the cluster refused; the message says why. */
    final class ActionException extends RuntimeException {
        public ActionException(String message) {
            super(message);
        }
    }

    /**
     * Does it, and returns when the API server or the file has taken it.
     *
     * @param podNames names of pods that the scenario gave names to
     */
    void act(Action action, Map<String, PodSight> podNames);

    /** The next thing that happens; empty if nothing does in this time. */
    Optional<Sighting> next(Duration patience);

    /** Time since the start. */
    Duration now();

    /** How many cards there are. */
    int cards();
}
