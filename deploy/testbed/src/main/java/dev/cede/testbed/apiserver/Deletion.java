package dev.cede.testbed.apiserver;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import tools.jackson.databind.node.ObjectNode;

/** Deletes objects: grace of pods, finalizers, propagation to dependents. */
final class Deletion {

    static final String FOREGROUND_FINALIZER = "foregroundDeletion";
    static final String ORPHAN_FINALIZER = "orphan";

    /** A negative grace counts as this. */
    private static final long LEAST_GRACE_SECONDS = 1;

    private final Cluster cluster;

    Deletion(Cluster cluster) {
        this.cluster = cluster;
    }

    /** What the object is after it; it may be gone already. */
    ObjectNode delete(Key key, DeleteOptions options) {
        ObjectNode old = cluster.require(key);
        options.preconditions().check(key, old);
        if (Json.isPresent(old, "metadata", "deletionTimestamp")) {
            return shorten(key, old, options.grace());
        }
        ObjectNode next = old.deepCopy();
        addFinalizer(next, options.propagationOf(key.kind()));
        if (key.kind().equals(Kinds.NAMESPACES)) {
            Json.child(next, "status").put("phase", "Terminating");
        }
        return stamp(key, next, key.kind().equals(Kinds.PODS) ? podGrace(old, options.grace()) : 0);
    }

    /** Stamps the deletion, and takes the object out if nothing holds it. */
    private ObjectNode stamp(Key key, ObjectNode next, long grace) {
        ObjectNode metadata = Json.child(next, "metadata");
        metadata.put("deletionTimestamp", cluster.timestampIn(grace));
        metadata.put("deletionGracePeriodSeconds", grace);
        if (metadata.has("generation")) {
            metadata.put("generation", Json.number(0, metadata, "generation") + 1);
        }
        return goesNow(key, metadata, grace) ? cluster.remove(key, next) : cluster.put(key, next);
    }

    private static boolean goesNow(Key key, ObjectNode metadata, long grace) {
        boolean heldByContent = key.kind().equals(Kinds.NAMESPACES);
        return grace == 0 && !heldByContent && metadata.path("finalizers").isEmpty();
    }

    /** A pod that no kubelet has or that is over has nothing to end in good order. */
    private static long podGrace(ObjectNode pod, OptionalLong asked) {
        String phase = Json.text(pod, "status", "phase");
        boolean over = phase.equals("Succeeded") || phase.equals("Failed");
        if (over || Json.text(pod, "spec", "nodeName").isEmpty()) {
            return 0;
        }
        long grace = asked.orElse(Json.number(0, pod, "spec", "terminationGracePeriodSeconds"));
        return grace < 0 ? LEAST_GRACE_SECONDS : grace;
    }

    /** A deletion that runs can only be made shorter, counted from when it was asked for but never into the past. */
    private ObjectNode shorten(Key key, ObjectNode old, OptionalLong asked) {
        long running = Json.number(0, old, "metadata", "deletionGracePeriodSeconds");
        long grace = asked.orElse(running) < 0 ? LEAST_GRACE_SECONDS : asked.orElse(running);
        if (grace >= running) {
            return old;
        }
        ObjectNode next = old.deepCopy();
        ObjectNode metadata = Json.child(next, "metadata");
        Instant deadline = Instant.parse(Json.text(metadata, "deletionTimestamp"))
                .minusSeconds(running - grace);
        if (deadline.isBefore(cluster.now())) {
            metadata.put("deletionTimestamp", cluster.timestamp());
            grace = Math.min(grace, LEAST_GRACE_SECONDS);
        } else {
            metadata.put("deletionTimestamp", deadline.toString());
        }
        metadata.put("deletionGracePeriodSeconds", grace);
        return goesNow(key, metadata, grace) ? cluster.remove(key, next) : cluster.put(key, next);
    }

    private static void addFinalizer(ObjectNode object, String propagation) {
        String finalizer = switch (propagation) {
            case DeleteOptions.FOREGROUND -> FOREGROUND_FINALIZER;
            case DeleteOptions.ORPHAN -> ORPHAN_FINALIZER;
            default -> "";
        };
        if (!finalizer.isEmpty()) {
            Json.array(Json.child(object, "metadata"), "finalizers").add(finalizer);
        }
    }

    /** Takes one finalizer away, and the object with it if it was the last. */
    void removeFinalizer(Key key, String finalizer) {
        ObjectNode old = cluster.require(key);
        ObjectNode next = old.deepCopy();
        ObjectNode metadata = Json.child(next, "metadata");
        List<String> left = metadata.path("finalizers")
                .valueStream()
                .map(Json::text)
                .filter(name -> !name.equals(finalizer))
                .toList();
        var finalizers = metadata.putArray("finalizers");
        left.forEach(finalizers::add);
        new Update(cluster).store(key, old, next);
    }
}
