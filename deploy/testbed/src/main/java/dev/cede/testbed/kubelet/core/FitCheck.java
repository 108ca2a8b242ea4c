package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.ContainerSpec.Need;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Kubelet's own look at whether a pod fits its node; it comes after the devices were allocated. */
final class FitCheck {
    /** Why kubelet refuses a pod. */
    record Rejection(String reason, String message) {}

    private FitCheck() {}

    /** @param lost extended resources that the node has had, and shows with 0 */
    static Optional<Rejection> misfit(
            PodSpec pod,
            Collection<PodEntry> others,
            KubeletSettings settings,
            Predicate<String> lost) {
        NodeSize size = settings.size();
        Need used = Need.NONE;
        for (PodEntry other : others) {
            used = used.plus(other.spec.need());
        }
        Need wanted = pod.need();
        return tooMuch("cpu", wanted.cpuMillis(), used.cpuMillis(), size.cpuMillis())
                .or(
                        new Later(
                                "memory",
                                wanted.memoryBytes(),
                                used.memoryBytes(),
                                size.memoryBytes())::check)
                .or(new Later("pods", 1, others.size(), size.pods())::check)
                .or(() -> nothingLeft(pod, lost))
                .or(() -> strange(pod, settings.labels()));
    }

    private static Optional<Rejection> nothingLeft(PodSpec pod, Predicate<String> lost) {
        return pod.containers().stream()
                .flatMap(container -> container.limits().entrySet().stream())
                .filter(limit -> lost.test(limit.getKey()))
                .findFirst()
                .flatMap(limit -> tooMuch(limit.getKey(), limit.getValue(), 0, 0));
    }

    private record Later(String name, long wanted, long used, long capacity) {
        Optional<Rejection> check() {
            return tooMuch(name, wanted, used, capacity);
        }
    }

    private static Optional<Rejection> tooMuch(String name, long wanted, long used, long capacity) {
        return wanted == 0 || used + wanted <= capacity
                ? Optional.empty()
                : Optional.of(new Rejection(
                        "OutOf" + name,
                        "Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d"
                                .formatted(name, wanted, used, capacity)));
    }

    private static Optional<Rejection> strange(PodSpec pod, Map<String, String> labels) {
        return labels.entrySet().containsAll(pod.nodeSelector().entrySet())
                ? Optional.empty()
                : Optional.of(
                        new Rejection(
                                "NodeAffinity",
                                "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"));
    }
}
