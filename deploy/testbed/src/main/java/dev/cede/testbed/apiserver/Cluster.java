package dev.cede.testbed.apiserver;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What one step works on: the store, the names, the time of the step, the changes it made. */
final class Cluster {

    private final Store store;
    private final Names names;
    private final ArrayDeque<Change> unsettled = new ArrayDeque<>();
    private Instant now = Instant.EPOCH;

    Cluster(Store store, Names names) {
        this.store = store;
        this.names = names;
    }

    void beginAt(Instant time) {
        now = time;
    }

    Store store() {
        return store;
    }

    Names names() {
        return names;
    }

    /** The time of this step as objects carry it: whole seconds. */
    String timestamp() {
        return timestampIn(0);
    }

    String timestampIn(long seconds) {
        return now.plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    Instant now() {
        return now;
    }

    ObjectNode put(Key key, ObjectNode object) {
        unsettled.add(store.put(key, object));
        return object;
    }

    ObjectNode remove(Key key, ObjectNode last) {
        unsettled.add(store.remove(key, last));
        return last;
    }

    /** The next change that the controllers have not seen. */
    Optional<Change> nextUnsettled() {
        return Optional.ofNullable(unsettled.poll());
    }

    ObjectNode require(Key key) {
        return store.get(key)
                .orElseThrow(() -> Refusal.notFound(key.kind().qualifiedPlural(), key.name()));
    }
}
