package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs the pods of each Job until enough have succeeded or too many have failed. Each pod is counted
 * once, by the finalizer it carries until then. A pod that is deleted counts as failed, and is
 * replaced, at once, or with {@code podReplacementPolicy: Failed} when it has ended. Unlike the real
 * one this controller waits for nothing between a failure and the next try.
 */
final class JobController {

    static final String TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

    private final Cluster cluster;
    private final Creation creation;
    private final Update update;
    private final Deletion deletion;

    JobController(Cluster cluster, Creation creation, Update update, Deletion deletion) {
        this.cluster = cluster;
        this.creation = creation;
        this.update = update;
        this.deletion = deletion;
    }

    void react(Change change) {
        Owners.concerned(cluster.store(), change, Kinds.JOBS).forEach(this::reconcile);
        if (change.key().kind().equals(Kinds.PODS)) {
            cluster.store().get(change.key()).ifPresent(this::releaseOrphan);
        }
    }

    /** A pod whose Job is gone is counted by nobody. */
    private void releaseOrphan(ObjectNode pod) {
        boolean hasJob = Owners.controller(pod, Kinds.JOBS)
                .flatMap(cluster.store()::keyOfUid)
                .isPresent();
        if (isTracked(pod) && !hasJob) {
            release(pod);
        }
    }

    private static boolean isTracked(ObjectNode pod) {
        return Json.at(pod, "metadata", "finalizers")
                .valueStream()
                .anyMatch(name -> Json.text(name).equals(TRACKING_FINALIZER));
    }

    private void release(ObjectNode pod) {
        deletion.removeFinalizer(Key.of(Kinds.PODS, pod), TRACKING_FINALIZER);
    }

    private void reconcile(Key key) {
        if (cluster.store().get(key).isEmpty()) {
            return;
        }
        count(key);
        ObjectNode job = cluster.require(key);
        if (!Owners.isDeleting(job)) {
            adjust(job);
        }
        writeStatus(key);
    }

    private List<ObjectNode> pods(ObjectNode job) {
        return Owners.controlled(cluster.store(), job, Kinds.PODS);
    }

    private void count(Key key) {
        ObjectNode job = cluster.require(key);
        List<ObjectNode> over = pods(job).stream()
                .filter(pod -> isTracked(pod) && (isOver(job, pod) || Owners.isDeleting(job)))
                .toList();
        long succeeded = over.stream().filter(JobController::hasSucceeded).count();
        ObjectNode next = job.deepCopy();
        ObjectNode status = Json.child(next, "status");
        add(status, "succeeded", succeeded);
        add(status, "failed", over.size() - succeeded);
        if (!over.isEmpty()) {
            update.replaceStatus(key, next);
        }
        over.forEach(this::release);
    }

    /** A pod that leaves is a failure unless only those that ended as one are. */
    private static boolean isOver(ObjectNode job, ObjectNode pod) {
        return Pods.isOver(pod) || (Owners.isDeleting(pod) && !replacesOnlyFailed(job));
    }

    private static boolean replacesOnlyFailed(ObjectNode job) {
        return Json.text(job, "spec", "podReplacementPolicy").equals("Failed");
    }

    private static boolean hasSucceeded(ObjectNode pod) {
        return Pods.phase(pod).equals("Succeeded");
    }

    private static void add(ObjectNode status, String field, long more) {
        if (more > 0) {
            status.put(field, Json.number(0, status, field) + more);
        }
    }

    private void adjust(ObjectNode job) {
        List<ObjectNode> active = pods(job).stream().filter(Pods::isActive).toList();
        long leaving = replacesOnlyFailed(job) ? leaving(job) : 0;
        long wanted = wanted(job, active.size());
        active.stream()
                .sorted(Pods.LEAST_NEEDED_FIRST)
                .limit(Math.max(0, active.size() - wanted))
                .forEach(pod -> deletion.delete(
                        Key.of(Kinds.PODS, pod),
                        DeleteOptions.ofThis(pod, DeleteOptions.BACKGROUND)));
        create(job, wanted - active.size() - leaving);
    }

    private long leaving(ObjectNode job) {
        return pods(job).stream()
                .filter(pod -> Owners.isDeleting(pod) && !Pods.isOver(pod))
                .count();
    }

    private static long wanted(ObjectNode job, long active) {
        long parallelism = Json.number(1, job, "spec", "parallelism");
        long succeeded = Json.number(0, job, "status", "succeeded");
        if (verdict(job).isPresent()) {
            return 0;
        }
        if (Json.isPresent(job, "spec", "completions")) {
            return Math.min(parallelism, Json.number(1, job, "spec", "completions") - succeeded);
        }
        // A queue of work: the first success says that it is empty.
        return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
    }

    private void create(ObjectNode job, long count) {
        String namespace = Json.text(job, "metadata", "namespace");
        try {
            for (long i = 0; i < count; i++) {
                ObjectNode pod = PodTemplate.podOf(job);
                ObjectNode metadata = Json.child(pod, "metadata");
                metadata.put("generateName", Json.text(job, "metadata", "name") + "-");
                Json.array(metadata, "finalizers").add(TRACKING_FINALIZER);
                creation.create(Kinds.PODS, namespace, pod);
            }
        } catch (Refusal refusal) {
            // Tried again when what it lacked may be there; the status has no place for a reason.
        }
    }

    /** How the Job ends once its last pod has: the condition that announces it and its reason. */
    private enum Verdict {
        SUCCESS("SuccessCriteriaMet", "Complete", "CompletionsReached"),
        FAILURE("FailureTarget", "Failed", "BackoffLimitExceeded");

        private final String first;
        private final String last;
        private final String reason;

        Verdict(String first, String last, String reason) {
            this.first = first;
            this.last = last;
            this.reason = reason;
        }
    }

    private static Optional<Verdict> verdict(ObjectNode job) {
        for (Verdict verdict : Verdict.values()) {
            if (Pods.hasCondition(job, verdict.first)) {
                return Optional.of(verdict);
            }
        }
        long succeeded = Json.number(0, job, "status", "succeeded");
        boolean failed = Json.number(0, job, "status", "failed")
                > Json.number(0, job, "spec", "backoffLimit");
        boolean queue = !Json.isPresent(job, "spec", "completions");
        boolean enough = queue
                ? succeeded > 0 && Json.number(0, job, "status", "active") == 0
                : succeeded >= Json.number(1, job, "spec", "completions");
        return enough
                ? Optional.of(Verdict.SUCCESS)
                : failed ? Optional.of(Verdict.FAILURE) : Optional.empty();
    }

    private void writeStatus(Key key) {
        ObjectNode job = cluster.require(key);
        List<ObjectNode> active = pods(job).stream().filter(Pods::isActive).toList();
        ObjectNode next = job.deepCopy();
        ObjectNode status = Json.child(next, "status");
        status.put("active", (long) active.size()).put("terminating", leaving(job));
        status.put("ready", active.stream().filter(Pods::isReady).count());
        if (!status.has("startTime")) {
            status.put("startTime", cluster.timestamp());
        }
        verdict(next).ifPresent(verdict -> end(next, verdict));
        if (!Json.same(next, job)) {
            update.replaceStatus(key, next);
        }
    }

    private void end(ObjectNode job, Verdict verdict) {
        ObjectNode status = Json.child(job, "status");
        condition(status, verdict.first, verdict.reason);
        boolean busy = pods(job).stream().anyMatch(pod -> !Pods.isOver(pod));
        if (busy) {
            return;
        }
        condition(status, verdict.last, verdict.reason);
        if (verdict == Verdict.SUCCESS && !status.has("completionTime")) {
            status.put("completionTime", cluster.timestamp());
        }
    }

    private void condition(ObjectNode status, String type, String reason) {
        ObjectNode condition = Json.newObject().put("type", type).put("status", "True");
        Update.setCondition(status, condition.put("reason", reason), cluster.timestamp());
    }
}
