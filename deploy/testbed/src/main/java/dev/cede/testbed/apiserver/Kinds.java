package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.ResourceKind.Trait.GENERATION;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.NAMESPACED;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.SCALE;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.STATUS;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.STATUS_BORN_EMPTY;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.STATUS_WRITES_LABELS;
import static dev.cede.testbed.apiserver.ResourceKind.Trait.VIEW;

import dev.cede.testbed.apiserver.ResourceKind.Trait;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The table of the kinds this server serves. */
final class Kinds {

    static final ResourceKind NAMESPACES =
            core("namespaces", "Namespace", List.of("ns"), STATUS, STATUS_BORN_EMPTY);
    static final ResourceKind NODES =
            core("nodes", "Node", List.of("no"), STATUS, STATUS_WRITES_LABELS);
    static final ResourceKind PODS = core(
            "pods",
            "Pod",
            List.of("po"),
            NAMESPACED,
            STATUS,
            STATUS_BORN_EMPTY,
            STATUS_WRITES_LABELS,
            GENERATION);
    static final ResourceKind SERVICE_ACCOUNTS =
            core("serviceaccounts", "ServiceAccount", List.of("sa"), NAMESPACED);
    static final ResourceKind EVENTS = core("events", "Event", List.of("ev"), NAMESPACED);
    static final ResourceKind EVENTS_V1 =
            row("events.k8s.io", "v1", "events", "Event", List.of("ev"), NAMESPACED, VIEW);
    static final ResourceKind PRIORITY_CLASSES =
            row("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", List.of("pc"));
    static final ResourceKind DEPLOYMENTS =
            workload("apps", "deployments", "Deployment", List.of("deploy"));
    static final ResourceKind REPLICA_SETS =
            workload("apps", "replicasets", "ReplicaSet", List.of("rs"));
    static final ResourceKind STATEFUL_SETS =
            workload("apps", "statefulsets", "StatefulSet", List.of("sts"));
    static final ResourceKind JOBS = row(
            "batch",
            "v1",
            "jobs",
            "Job",
            List.of(),
            NAMESPACED,
            STATUS,
            STATUS_BORN_EMPTY,
            GENERATION);

    /** In the order of discovery. */
    static final List<ResourceKind> ALL = List.of(
            NAMESPACES,
            NODES,
            PODS,
            SERVICE_ACCOUNTS,
            EVENTS,
            core("configmaps", "ConfigMap", List.of("cm"), NAMESPACED),
            core("secrets", "Secret", List.of(), NAMESPACED),
            core("services", "Service", List.of("svc"), NAMESPACED, STATUS),
            core(
                    "replicationcontrollers",
                    "ReplicationController",
                    List.of("rc"),
                    NAMESPACED,
                    STATUS),
            core(
                    "persistentvolumeclaims",
                    "PersistentVolumeClaim",
                    List.of("pvc"),
                    NAMESPACED,
                    STATUS),
            core("persistentvolumes", "PersistentVolume", List.of("pv"), STATUS),
            EVENTS_V1,
            PRIORITY_CLASSES,
            DEPLOYMENTS,
            REPLICA_SETS,
            STATEFUL_SETS,
            row(
                    "apps",
                    "v1",
                    "daemonsets",
                    "DaemonSet",
                    List.of("ds"),
                    NAMESPACED,
                    STATUS,
                    STATUS_BORN_EMPTY,
                    GENERATION),
            JOBS,
            row(
                    "policy",
                    "v1",
                    "poddisruptionbudgets",
                    "PodDisruptionBudget",
                    List.of("pdb"),
                    NAMESPACED,
                    STATUS,
                    GENERATION),
            row("coordination.k8s.io", "v1", "leases", "Lease", List.of(), NAMESPACED),
            podGroup("scheduling.volcano.sh", "v1beta1"),
            podGroup("scheduling.x-k8s.io", "v1alpha1"));

    private Kinds() {}

    static Optional<ResourceKind> find(String group, String version, String plural) {
        return ALL.stream()
                .filter(kind -> kind.group().equals(group)
                        && kind.version().equals(version)
                        && kind.plural().equals(plural))
                .findFirst();
    }

    /** The kind an owner reference means; empty for one that is not served here. */
    static Optional<ResourceKind> ofReference(String apiVersion, String kindName) {
        return ALL.stream()
                .filter(kind ->
                        kind.apiVersion().equals(apiVersion) && kind.kind().equals(kindName))
                .findFirst();
    }

    /** The kind under which objects of this one are kept. */
    static ResourceKind stored(ResourceKind kind) {
        return kind.equals(EVENTS_V1) ? EVENTS : kind;
    }

    private static ResourceKind core(
            String plural, String kind, List<String> shortNames, Trait... traits) {
        return row("", "v1", plural, kind, shortNames, traits);
    }

    /** Others' custom resource, as a cluster with their definition serves it. */
    private static ResourceKind podGroup(String group, String version) {
        return row(
                group,
                version,
                "podgroups",
                "PodGroup",
                List.of("pg"),
                NAMESPACED,
                STATUS,
                GENERATION);
    }

    private static ResourceKind workload(
            String group, String plural, String kind, List<String> shortNames) {
        return row(
                group,
                "v1",
                plural,
                kind,
                shortNames,
                NAMESPACED,
                STATUS,
                STATUS_BORN_EMPTY,
                GENERATION,
                SCALE);
    }

    private static ResourceKind row(
            String group,
            String version,
            String plural,
            String kind,
            List<String> shortNames,
            Trait... traits) {
        Set<Trait> set = EnumSet.noneOf(Trait.class);
        set.addAll(List.of(traits));
        return new ResourceKind(group, version, plural, kind, shortNames, set);
    }
}
