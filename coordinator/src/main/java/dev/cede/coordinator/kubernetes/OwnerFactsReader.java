package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.OwnerRef;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;

import java.util.Objects;

/** Reads from a controller object how many pods it asks for at once (E1). Pure. */
public final class OwnerFactsReader {
    /** Its pods come one by one, so none waits for another. */
    private static final int UNKNOWN = -1;

    private OwnerFactsReader() {}

    public static OwnerFacts read(ReplicaSet owner) {
        Integer replicas = owner.getSpec() == null ? null : owner.getSpec().getReplicas();
        return facts("ReplicaSet", owner, Objects.requireNonNullElse(replicas, 1));
    }

    public static OwnerFacts read(StatefulSet owner) {
        boolean parallel = owner.getSpec() != null
                && "Parallel".equals(owner.getSpec().getPodManagementPolicy());
        if (!parallel) {
            return facts("StatefulSet", owner, UNKNOWN);
        }
        Integer replicas = owner.getSpec().getReplicas();
        return facts("StatefulSet", owner, Objects.requireNonNullElse(replicas, 1));
    }

    /** Never more than are still to be completed. */
    public static OwnerFacts read(Job owner) {
        JobSpec spec = Objects.requireNonNullElseGet(owner.getSpec(), JobSpec::new);
        int parallelism = Objects.requireNonNullElse(spec.getParallelism(), 1);
        if (spec.getCompletions() == null) {
            return facts("Job", owner, parallelism);
        }
        Integer succeeded = owner.getStatus() == null ? null : owner.getStatus().getSucceeded();
        int left = spec.getCompletions() - Objects.requireNonNullElse(succeeded, 0);
        return facts("Job", owner, Math.max(0, Math.min(parallelism, left)));
    }

    private static OwnerFacts facts(String kind, HasMetadata owner, int replicas) {
        return new OwnerFacts(
                new OwnerRef(
                        kind, owner.getMetadata().getName(), owner.getMetadata().getUid()),
                owner.getMetadata().getNamespace(),
                replicas);
    }
}
