package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.ContainerSpec;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.ContainerSpec.Need;
import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodSpec.Qos;
import dev.cede.testbed.kubelet.core.PodSpec.RestartPolicy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads of a pod what kubelet's decisions need. */
public final class PodReader {
    /** Kubernetes' default for terminationGracePeriodSeconds. */
    private static final long DEFAULT_GRACE = 30;

    private PodReader() {}

    public static PodSpec.Id id(Pod pod) {
        return new PodSpec.Id(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid());
    }

    public static PodSpec read(Pod pod) {
        return new PodSpec(
                id(pod),
                Optional.ofNullable(pod.getMetadata().getCreationTimestamp())
                        .map(Instant::parse)
                        .orElse(Instant.EPOCH),
                containers(pod),
                restartPolicy(pod.getSpec().getRestartPolicy()),
                qos(pod),
                orEmpty(pod.getSpec().getNodeSelector()),
                Optional.ofNullable(pod.getSpec().getTerminationGracePeriodSeconds())
                        .orElse(DEFAULT_GRACE),
                deletionGrace(pod),
                finished(pod));
    }

    private static List<ContainerSpec> containers(Pod pod) {
        List<ContainerSpec> containers = new ArrayList<>();
        for (Container init : pod.getSpec().getInitContainers()) {
            containers.add(container(
                    init, "Always".equals(init.getRestartPolicy()) ? Kind.SIDECAR : Kind.INIT));
        }
        pod.getSpec().getContainers().forEach(app -> containers.add(container(app, Kind.APP)));
        return containers;
    }

    private static ContainerSpec container(Container container, Kind kind) {
        Map<String, Quantity> requests = quantities(container, true);
        Map<String, Quantity> limits = quantities(container, false);
        SortedMap<String, Long> extended = new TreeMap<>();
        limits.forEach((name, quantity) -> {
            if (name.contains("/")) {
                extended.put(name, whole(quantity, 1));
            }
        });
        Map<String, String> env = new LinkedHashMap<>();
        for (EnvVar variable : container.getEnv()) {
            env.put(variable.getName(), Optional.ofNullable(variable.getValue()).orElse(""));
        }
        return new ContainerSpec(
                container.getName(),
                kind,
                Optional.ofNullable(container.getImage()).orElse(""),
                extended,
                new Need(
                        amount("cpu", requests, limits, 1000),
                        amount("memory", requests, limits, 1)),
                container.getArgs(),
                env);
    }

    private static long amount(
            String name, Map<String, Quantity> requests, Map<String, Quantity> limits, int scale) {
        Quantity quantity = requests.getOrDefault(name, limits.get(name));
        return quantity == null ? 0 : whole(quantity, scale);
    }

    private static long whole(Quantity quantity, int scale) {
        return quantity.getNumericalAmount()
                .multiply(BigDecimal.valueOf(scale))
                .setScale(0, RoundingMode.CEILING)
                .longValue();
    }

    private static Map<String, Quantity> quantities(Container container, boolean requests) {
        ResourceRequirements resources = container.getResources();
        if (resources == null) {
            return Map.of();
        }
        return orEmpty(requests ? resources.getRequests() : resources.getLimits());
    }

    private static RestartPolicy restartPolicy(String policy) {
        return switch (policy == null ? "Always" : policy) {
            case "Never" -> RestartPolicy.NEVER;
            case "OnFailure" -> RestartPolicy.ON_FAILURE;
            default -> RestartPolicy.ALWAYS;
        };
    }

    private static Qos qos(Pod pod) {
        List<Container> all = Stream.concat(
                        pod.getSpec().getInitContainers().stream(),
                        pod.getSpec().getContainers().stream())
                .toList();
        if (all.stream()
                .noneMatch(container -> names(container, true) || names(container, false))) {
            return Qos.BEST_EFFORT;
        }
        return all.stream().allMatch(PodReader::guaranteed) ? Qos.GUARANTEED : Qos.BURSTABLE;
    }

    private static boolean names(Container container, boolean requests) {
        Map<String, Quantity> quantities = quantities(container, requests);
        return quantities.containsKey("cpu") || quantities.containsKey("memory");
    }

    private static boolean guaranteed(Container container) {
        Map<String, Quantity> limits = quantities(container, false);
        Map<String, Quantity> requests = quantities(container, true);
        return Stream.of("cpu", "memory")
                .allMatch(name -> limits.containsKey(name)
                        && whole(limits.get(name), 1000)
                                == whole(requests.getOrDefault(name, limits.get(name)), 1000));
    }

    private static Optional<Long> deletionGrace(Pod pod) {
        if (pod.getMetadata().getDeletionTimestamp() == null) {
            return Optional.empty();
        }
        return Optional.of(Optional.ofNullable(pod.getMetadata().getDeletionGracePeriodSeconds())
                .orElse(DEFAULT_GRACE));
    }

    private static boolean finished(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static <K, V> Map<K, V> orEmpty(Map<K, V> map) {
        return map == null ? Map.of() : map;
    }
}
