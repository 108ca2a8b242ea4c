package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Defaults and checks of the kinds that make pods. What their controllers cannot do is refused. */
final class WorkloadAdmission {

    private static final long DEFAULT_BACKOFF_LIMIT = 6;

    /** What needs a clock, an index or a policy that {@link JobController} does not have. */
    private static final List<String> NOT_OF_JOBS = List.of(
            "activeDeadlineSeconds",
            "backoffLimitPerIndex",
            "manualSelector",
            "maxFailedIndexes",
            "podFailurePolicy",
            "selector",
            "successPolicy",
            "ttlSecondsAfterFinished");

    private static final List<String> MUTABLE_OF_JOBS =
            List.of("parallelism", "backoffLimit", "podReplacementPolicy");

    private static final List<String> MUTABLE_OF_STATEFUL_SETS = List.of(
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds");

    private WorkloadAdmission() {}

    static void admit(ResourceKind kind, ObjectNode object) {
        if (kind.equals(Kinds.JOBS)) {
            admitJob(object);
            return;
        }
        ObjectNode spec = Json.child(object, "spec");
        if (!Json.isPresent(spec, "replicas")) {
            spec.put("replicas", 1);
        }
        checkSelector(kind, object);
        if (kind.equals(Kinds.STATEFUL_SETS)) {
            admitStatefulSet(object);
        }
    }

    private static void checkSelector(ResourceKind kind, ObjectNode object) {
        Map<String, String> wanted = Json.strings(object, "spec", "selector", "matchLabels");
        if (wanted.isEmpty()) {
            throw invalid(
                    kind,
                    object,
                    "spec.selector.matchLabels: Required value: the only selector accepted");
        }
        Map<String, String> labels = Json.strings(object, "spec", "template", "metadata", "labels");
        if (!labels.entrySet().containsAll(wanted.entrySet())) {
            throw invalid(
                    kind,
                    object,
                    "spec.template.metadata.labels: Invalid value: `selector` does not match template "
                            + "`labels`");
        }
    }

    private static Refusal invalid(ResourceKind kind, ObjectNode object, String why) {
        return Refusal.invalid(kind, Json.text(object, "metadata", "name"), why);
    }

    private static void admitStatefulSet(ObjectNode set) {
        ObjectNode spec = Json.child(set, "spec");
        requireOneOf(Kinds.STATEFUL_SETS, set, "podManagementPolicy", "OrderedReady", "Parallel");
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        if (!Json.isPresent(strategy, "type")) {
            strategy.put("type", "RollingUpdate");
        }
        if (!Json.at(spec, "volumeClaimTemplates").isEmpty()) {
            throw invalid(
                    Kinds.STATEFUL_SETS,
                    set,
                    "spec.volumeClaimTemplates: Forbidden: this server makes no volumes");
        }
        if (Json.number(0, strategy, "rollingUpdate", "partition") > 0) {
            throw invalid(
                    Kinds.STATEFUL_SETS,
                    set,
                    "spec.updateStrategy.rollingUpdate.partition: Forbidden: accepted is 0");
        }
    }

    /** The first value accepted is the default. */
    private static void requireOneOf(
            ResourceKind kind, ObjectNode object, String field, String... accepted) {
        ObjectNode spec = Json.child(object, "spec");
        if (!Json.isPresent(spec, field)) {
            spec.put(field, accepted[0]);
        }
        String value = Json.text(spec, field);
        if (!List.of(accepted).contains(value)) {
            throw invalid(
                    kind,
                    object,
                    "spec.%s: Unsupported value: \"%s\": accepted here: %s"
                            .formatted(field, value, String.join(", ", accepted)));
        }
    }

    private static void admitJob(ObjectNode job) {
        ObjectNode spec = Json.child(job, "spec");
        for (String field : NOT_OF_JOBS) {
            if (Json.isPresent(spec, field)) {
                throw invalid(
                        Kinds.JOBS, job, "spec." + field + ": Forbidden: this server has none");
            }
        }
        if (spec.path("suspend").asBoolean(false)) {
            throw invalid(Kinds.JOBS, job, "spec.suspend: Invalid value: true: accepted is false");
        }
        requireOneOf(Kinds.JOBS, job, "completionMode", "NonIndexed");
        requireOneOf(Kinds.JOBS, job, "podReplacementPolicy", "TerminatingOrFailed", "Failed");
        setAmounts(spec);
        setSelector(job);
        String restartPolicy = Json.text(spec, "template", "spec", "restartPolicy");
        if (!List.of("OnFailure", "Never").contains(restartPolicy)) {
            throw invalid(
                    Kinds.JOBS,
                    job,
                    "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
                            + "\"Never\"");
        }
    }

    private static void setAmounts(ObjectNode spec) {
        if (!Json.isPresent(spec, "parallelism")) {
            spec.put("parallelism", 1L);
            if (!Json.isPresent(spec, "completions")) {
                spec.put("completions", 1L);
            }
        }
        if (!Json.isPresent(spec, "backoffLimit")) {
            spec.put("backoffLimit", DEFAULT_BACKOFF_LIMIT);
        }
    }

    private static void setSelector(ObjectNode job) {
        String uid = Json.text(job, "metadata", "uid");
        String name = Json.text(job, "metadata", "name");
        ObjectNode spec = Json.child(job, "spec");
        Json.child(spec, "selector", "matchLabels").put("batch.kubernetes.io/controller-uid", uid);
        Json.child(spec, "template", "metadata", "labels")
                .put("batch.kubernetes.io/controller-uid", uid)
                .put("batch.kubernetes.io/job-name", name)
                .put("controller-uid", uid)
                .put("job-name", name);
    }

    /** Most of a StatefulSet, and nearly all of a Job, is fixed when it is made. */
    static void checkUpdate(Key key, ObjectNode old, ObjectNode next) {
        if (key.kind().equals(Kinds.STATEFUL_SETS)) {
            checkFixed(key, MUTABLE_OF_STATEFUL_SETS, old, next);
        } else if (key.kind().equals(Kinds.JOBS)) {
            checkFixed(key, MUTABLE_OF_JOBS, old, next);
        }
    }

    private static void checkFixed(Key key, List<String> mutable, ObjectNode old, ObjectNode next) {
        if (!Json.same(fixed(mutable, old), fixed(mutable, next))) {
            throw Refusal.invalid(
                    key.kind(),
                    key.name(),
                    "spec: Forbidden: only these fields may change: " + String.join(", ", mutable));
        }
    }

    private static JsonNode fixed(List<String> mutable, ObjectNode object) {
        ObjectNode spec = Json.child(object.deepCopy(), "spec");
        mutable.forEach(spec::remove);
        return spec;
    }
}
