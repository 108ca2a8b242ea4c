package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.ContainerSpec.Need;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What kubelet reads of a pod.
 *
 * @param containers init containers in their order, then the application containers
 * @param graceSeconds terminationGracePeriodSeconds
 * @param deletionGrace seconds, present once the pod is being deleted
 * @param finished the API already says Succeeded or Failed
 */
public record PodSpec(
        Id id,
        Instant created,
        List<ContainerSpec> containers,
        RestartPolicy restartPolicy,
        Qos qos,
        Map<String, String> nodeSelector,
        long graceSeconds,
        Optional<Long> deletionGrace,
        boolean finished) {

    /** Names one pod object for good. */
    public record Id(String namespace, String name, String uid) {
        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    public enum RestartPolicy {
        ALWAYS,
        ON_FAILURE,
        NEVER
    }

    /** Kubernetes' quality-of-service class: names the parent of the pod's cgroup. */
    public enum Qos {
        GUARANTEED,
        BURSTABLE,
        BEST_EFFORT
    }

    public PodSpec {
        containers = List.copyOf(containers);
        nodeSelector = Collections.unmodifiableSortedMap(new TreeMap<>(nodeSelector));
    }

    /** A best-effort pod with the default grace, for tables of tests and for the simulation. */
    public static PodSpec of(Id id, Instant created, List<ContainerSpec> containers) {
        return new PodSpec(
                id,
                created,
                containers,
                RestartPolicy.ALWAYS,
                Qos.BEST_EFFORT,
                new TreeMap<>(),
                30,
                Optional.empty(),
                false);
    }

    public String uid() {
        return id.uid();
    }

    public PodSpec deleted(long grace) {
        return new PodSpec(
                id,
                created,
                containers,
                restartPolicy,
                qos,
                nodeSelector,
                graceSeconds,
                Optional.of(grace),
                finished);
    }

    public PodSpec restarting(RestartPolicy policy) {
        return new PodSpec(
                id,
                created,
                containers,
                policy,
                qos,
                nodeSelector,
                graceSeconds,
                deletionGrace,
                finished);
    }

    public PodSpec selecting(Map<String, String> nodeLabels) {
        return new PodSpec(
                id,
                created,
                containers,
                restartPolicy,
                qos,
                nodeLabels,
                graceSeconds,
                deletionGrace,
                finished);
    }

    /** The scheduler's sum: apps and sidecars together, or the largest init step if that is more. */
    Need need() {
        Need running = Need.NONE;
        Need sidecars = Need.NONE;
        Need largestStep = Need.NONE;
        for (ContainerSpec container : containers) {
            if (container.kind() == Kind.INIT) {
                largestStep = largestStep.max(container.need().plus(sidecars));
                continue;
            }
            running = running.plus(container.need());
            if (container.kind() == Kind.SIDECAR) {
                sidecars = sidecars.plus(container.need());
                largestStep = largestStep.max(sidecars);
            }
        }
        return running.max(largestStep);
    }
}
