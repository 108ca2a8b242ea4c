package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Resources;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Who is never evicted, whatever the preemptor's priority (C4). */
final class Protection {
    private static final String KUBE_SYSTEM = "kube-system";
    private static final String SYSTEM_CLASSES = "system-";

    /** What Go's parser of booleans takes for true; anything else protects. */
    private static final List<String> TRUE = List.of("1", "t", "T", "true", "TRUE", "True");

    private final Set<String> owners = new TreeSet<>();
    private final Set<GroupRef> groups = new HashSet<>();

    /** Protects the members of the workload that is planned, too. */
    Protection(Collection<PodFacts> workload) {
        for (PodFacts pod : workload) {
            pod.owner().map(OwnerRef::uid).ifPresent(owners::add);
            pod.group().ifPresent(groups::add);
        }
    }

    /** Why the pod is never a victim, or empty. */
    Optional<String> of(PodFacts pod) {
        if (pod.mirror()) {
            return Optional.of("is a static pod");
        }
        if (pod.owner().filter(owner -> owner.kind().equals("DaemonSet")).isPresent()) {
            return Optional.of("belongs to a DaemonSet");
        }
        if (pod.ref().namespace().equals(KUBE_SYSTEM)) {
            return Optional.of("is in " + KUBE_SYSTEM);
        }
        if (pod.priorityClass().startsWith(SYSTEM_CLASSES)) {
            return Optional.of("is of class " + pod.priorityClass());
        }
        if (sameWorkload(pod)) {
            return Optional.of("is of the same workload");
        }
        return preemptable(pod)
                ? Optional.empty()
                : Optional.of("is protected by " + Resources.PREEMPTABLE);
    }

    private boolean sameWorkload(PodFacts pod) {
        return pod.owner().map(OwnerRef::uid).filter(owners::contains).isPresent()
                || pod.group().filter(groups::contains).isPresent();
    }

    private static boolean preemptable(PodFacts pod) {
        String label = pod.labels().get(Resources.PREEMPTABLE);
        String value = pod.annotations().getOrDefault(Resources.PREEMPTABLE, label);
        return value == null || TRUE.contains(value);
    }
}
