package dev.cede.testbed.kubelet.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What kubelet reads of one container of a pod.
 *
 * @param limits extended resources (names with a slash) and how many of each
 * @param need CPU and memory it requests
 * @param env in the pod's order
 */
public record ContainerSpec(
        String name,
        Kind kind,
        String image,
        SortedMap<String, Long> limits,
        Need need,
        List<String> args,
        Map<String, String> env) {

    public enum Kind {
        /** Runs to its end before the next one starts. */
        INIT,
        /** An init container with restartPolicy Always. */
        SIDECAR,
        APP
    }

    /** Thousandths of a CPU and bytes of memory. */
    public record Need(long cpuMillis, long memoryBytes) {
        public static final Need NONE = new Need(0, 0);

        Need plus(Need other) {
            return new Need(cpuMillis + other.cpuMillis, memoryBytes + other.memoryBytes);
        }

        Need max(Need other) {
            return new Need(
                    Math.max(cpuMillis, other.cpuMillis), Math.max(memoryBytes, other.memoryBytes));
        }
    }

    public ContainerSpec {
        limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** An application container that asks for nothing but devices. */
    public static ContainerSpec app(String name, Map<String, Long> limits) {
        return new ContainerSpec(
                name,
                Kind.APP,
                "none",
                new TreeMap<>(limits),
                Need.NONE,
                List.of(),
                new LinkedHashMap<>());
    }

    public ContainerSpec as(Kind kind) {
        return new ContainerSpec(name, kind, image, limits, need, args, env);
    }

    public ContainerSpec needing(Need need) {
        return new ContainerSpec(name, kind, image, limits, need, args, env);
    }
}
