package dev.cede.sandbox.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What must be seen. */
public sealed interface Expectation {
    /** How long it may take; for {@link NoEviction}, how long it is watched. */
    Duration within();

    /** How a pod is. */
    enum State {
        /** Not bound yet. */
        PENDING,
        RUNNING,
        /** Its deletion has begun. */
        LEAVING,
        /** Its object is gone. */
        GONE
    }

    /**
     * Pods as described.
     *
     * @param who a workload (the owner's name), or the name that an earlier expectation gave a pod
     * @param notWho names of pods that are not meant
     * @param on a card such as c0, or a named pod whose card is meant
     * @param nominated it has a nominated node
     * @param condition a condition that it has with status True
     * @param because what its PodScheduled condition says; all of these texts
     * @param as the name it has from now on
     * @param count how many such pods there are at once
     */
    record Pods(
            String who,
            List<String> notWho,
            Optional<State> is,
            Optional<String> on,
            boolean nominated,
            Optional<String> condition,
            List<String> because,
            Optional<String> as,
            Count count,
            Duration within)
            implements Expectation {
        public Pods {
            notWho = List.copyOf(notWho);
            because = List.copyOf(because);
        }
    }

    /** A number of pods: a fixed one, or one for each card of the sandbox. */
    record Count(int number, boolean oneACard) {
        public static final Count ONE = new Count(1, false);
        public static final Count ONE_A_CARD = new Count(0, true);

        public int of(int cards) {
            return oneACard ? cards : number;
        }
    }

    /** The pod's shares have left its agent's books, and no process of it lives. */
    record Released(String who, Duration within) implements Expectation {}

    /** From the step's action on, and then for this long, nobody is evicted. */
    record NoEviction(Duration within) implements Expectation {}
}
