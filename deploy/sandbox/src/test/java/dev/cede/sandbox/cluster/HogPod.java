package dev.cede.sandbox.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A pod to be made, whose containers hold what their shares allow.
 *
 * @param priorityClass empty for none
 * @param graceSeconds how long it may take to end
 * @param environment of each of its containers
 */
public record HogPod(
        String name,
        String priorityClass,
        long graceSeconds,
        List<Ask> asks,
        Map<String, String> environment) {
    static final String MEMORY = "volcano.sh/gpu-mem.128Mi";
    static final String CORE = "volcano.sh/gpu-core.percentage";

    /** What a container asks for; no percentage, no compute. */
    public record Ask(int units, int percentage) {
        private Map<String, Quantity> quantities() {
            Map<String, Quantity> quantities = new TreeMap<>();
            quantities.put(MEMORY, new Quantity(String.valueOf(units)));
            if (percentage > 0) {
                quantities.put(CORE, new Quantity(String.valueOf(percentage)));
            }
            return quantities;
        }
    }

    public HogPod {
        asks = List.copyOf(asks);
        environment = new TreeMap<>(environment);
    }

    public static PriorityClass priorityClass(String name, int value) {
        return new PriorityClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withValue(value)
                .build();
    }

    public Pod pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("volcano")
                .withPriorityClassName(priorityClass.isEmpty() ? null : priorityClass)
                .withTerminationGracePeriodSeconds(graceSeconds)
                .withContainers(containers())
                .endSpec()
                .build();
    }

    private List<Container> containers() {
        List<EnvVar> env = new ArrayList<>();
        environment.forEach((key, value) -> env.add(new EnvVar(key, value, null)));
        List<Container> containers = new ArrayList<>();
        for (Ask ask : asks) {
            containers.add(new ContainerBuilder()
                    .withName("c" + containers.size())
                    .withImage("any")
                    .withEnv(env)
                    .withNewResources()
                    .withRequests(ask.quantities())
                    .withLimits(ask.quantities())
                    .endResources()
                    .build());
        }
        return containers;
    }
}
