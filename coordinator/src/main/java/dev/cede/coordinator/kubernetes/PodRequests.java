package dev.cede.coordinator.kubernetes;

import dev.cede.model.Resources;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a pod takes of a node's ordinary resources, as the standard scheduler counts it: running
 * containers and sidecars together, or the largest step of the init containers if that is more;
 * pod-level requests in place of cpu, memory and huge pages; then the overhead.
 */
final class PodRequests {
    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final String HUGE_PAGES = "hugepages-";

    private final Map<String, ContainerStatus> statuses = new HashMap<>();
    private final boolean resizeInfeasible;

    private PodRequests(PodStatus status) {
        this.resizeInfeasible = status != null && resizeInfeasible(status);
        if (status != null) {
            status.getContainerStatuses().forEach(s -> statuses.put(s.getName(), s));
            status.getInitContainerStatuses().forEach(s -> statuses.put(s.getName(), s));
        }
    }

    /** Cpu in milli, all others in their base unit, rounded up; without our two resources. */
    static SortedMap<String, Long> of(Pod pod) {
        SortedMap<String, Long> total = new PodRequests(pod.getStatus()).containers(pod.getSpec());
        podLevel(pod.getSpec()).forEach((name, amount) -> {
            if (isComputed(name)) {
                total.put(name, amount);
            }
        });
        add(total, amounts(pod.getSpec().getOverhead()));
        total.remove(Resources.MEMORY);
        total.remove(Resources.CORE);
        return total;
    }

    private SortedMap<String, Long> containers(PodSpec spec) {
        SortedMap<String, Long> running = new TreeMap<>();
        SortedMap<String, Long> sidecars = new TreeMap<>();
        SortedMap<String, Long> largestStep = new TreeMap<>();
        for (Container container : spec.getInitContainers()) {
            Map<String, Long> own = container(container);
            if (isSidecar(container)) {
                add(sidecars, own);
                raise(largestStep, sidecars);
            } else {
                SortedMap<String, Long> step = new TreeMap<>(own);
                add(step, sidecars);
                raise(largestStep, step);
            }
        }
        spec.getContainers().forEach(container -> add(running, container(container)));
        add(running, sidecars);
        raise(running, largestStep);
        return running;
    }

    static boolean isSidecar(Container initContainer) {
        return "Always".equals(initContainer.getRestartPolicy());
    }

    /** A resized container counts with the most of what is wanted, granted and in use. */
    private SortedMap<String, Long> container(Container container) {
        SortedMap<String, Long> wanted = requests(container.getResources());
        ContainerStatus status = statuses.get(container.getName());
        if (status == null) {
            return wanted;
        }
        SortedMap<String, Long> granted = amounts(status.getAllocatedResources());
        raise(granted, requests(status.getResources()));
        for (String name : List.of(CPU, MEMORY)) {
            Long amount = granted.get(name);
            if (amount != null) {
                long asked = resizeInfeasible ? 0 : wanted.getOrDefault(name, 0L);
                wanted.put(name, Math.max(asked, amount));
            }
        }
        return wanted;
    }

    private static boolean resizeInfeasible(PodStatus status) {
        return status.getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("PodResizePending")
                        && "Infeasible".equals(condition.getReason()));
    }

    private static SortedMap<String, Long> podLevel(PodSpec spec) {
        return requests(spec.getResources());
    }

    private static boolean isComputed(String name) {
        return name.equals(CPU) || name.equals(MEMORY) || name.startsWith(HUGE_PAGES);
    }

    private static SortedMap<String, Long> requests(ResourceRequirements resources) {
        return resources == null ? new TreeMap<>() : amounts(resources.getRequests());
    }

    static SortedMap<String, Long> amounts(Map<String, Quantity> quantities) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        if (quantities != null) {
            quantities.forEach((name, quantity) -> amounts.put(name, amount(name, quantity)));
        }
        return amounts;
    }

    private static long amount(String name, Quantity quantity) {
        int shift = name.equals(CPU) ? 3 : 0;
        return quantity.getNumericalAmount()
                .movePointRight(shift)
                .setScale(0, RoundingMode.CEILING)
                .longValue();
    }

    private static void add(SortedMap<String, Long> sum, Map<String, Long> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
    }

    private static void raise(SortedMap<String, Long> least, Map<String, Long> to) {
        to.forEach((name, amount) -> least.merge(name, amount, Math::max));
    }
}
