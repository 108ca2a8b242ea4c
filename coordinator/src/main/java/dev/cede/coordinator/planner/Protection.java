package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Resources;

import java.util.Collection;
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

    private static final List<String> GROUP_ANNOTATIONS =
            List.of("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name");
    private static final String GROUP_LABEL = "scheduling.x-k8s.io/pod-group";

    private final Set<String> owners = new TreeSet<>();
    private final Set<String> groups = new TreeSet<>();

    /** Protects the members of the workload that is planned, too. */
    Protection(Collection<PodFacts> workload) {
        for (PodFacts pod : workload) {
            pod.owner().map(OwnerRef::uid).ifPresent(owners::add);
            group(pod).ifPresent(groups::add);
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
                || group(pod).filter(groups::contains).isPresent();
    }

    private static Optional<String> group(PodFacts pod) {
        return GROUP_ANNOTATIONS.stream()
                .map(pod.annotations()::get)
                .filter(name -> name != null && !name.isEmpty())
                .findFirst()
                .or(() -> Optional.ofNullable(pod.labels().get(GROUP_LABEL)))
                .map(name -> pod.ref().namespace() + "/" + name);
    }

    private static boolean preemptable(PodFacts pod) {
        String label = pod.labels().get(Resources.PREEMPTABLE);
        String value = pod.annotations().getOrDefault(Resources.PREEMPTABLE, label);
        return value == null || TRUE.contains(value);
    }
}
