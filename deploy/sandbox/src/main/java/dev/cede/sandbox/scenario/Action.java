package dev.cede.sandbox.scenario;

import java.util.SortedMap;

/** What a step does. */
public sealed interface Action {
    /**
     * Creates the objects of a manifest.
     *
     * @param oneACard each Deployment in it gets as many replicas as the sandbox has cards
     */
    record Apply(String file, boolean oneACard) implements Action {}

    /**
     * Deletes an object as {@code kubectl delete} does.
     *
     * @param name for a pod also the name that an expectation gave it
     */
    record Delete(String kind, String name) implements Action {}

    /** Writes keys into the coordinator's configuration file, which it watches. */
    record Configure(SortedMap<String, String> keys) implements Action {}
}
