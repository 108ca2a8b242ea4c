package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.NodeNeeds.Toleration;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What restricts a pod's choice of node, and what of it Cede cannot judge. */
final class PodConstraints {
    private static final String REQUIRED = ".requiredDuringSchedulingIgnoredDuringExecution";

    private PodConstraints() {}

    static NodeNeeds of(PodSpec spec) {
        Map<String, String> selector = spec.getNodeSelector();
        return new NodeNeeds(
                selector == null ? Map.of() : new TreeMap<>(selector),
                spec.getTolerations().stream().map(PodConstraints::read).toList(),
                List.copyOf(unsupported(spec)));
    }

    private static Toleration read(io.fabric8.kubernetes.api.model.Toleration toleration) {
        return new Toleration(
                Texts.orEmpty(toleration.getKey()),
                Objects.requireNonNullElse(toleration.getOperator(), "Equal"),
                Texts.orEmpty(toleration.getValue()),
                Texts.orEmpty(toleration.getEffect()));
    }

    private static SortedSet<String> unsupported(PodSpec spec) {
        SortedSet<String> names = new TreeSet<>();
        if (spec.getAffinity() != null) {
            affinity(spec.getAffinity(), names);
        }
        if (spec.getTopologySpreadConstraints().stream()
                .anyMatch(spread -> !"ScheduleAnyway".equals(spread.getWhenUnsatisfiable()))) {
            names.add("topologySpreadConstraints with DoNotSchedule");
        }
        if (containers(spec).anyMatch(PodConstraints::takesHostPort)) {
            names.add("hostPort");
        }
        if (!spec.getResourceClaims().isEmpty()) {
            names.add("resourceClaims");
        }
        spec.getVolumes().forEach(volume -> volume(volume, names));
        return names;
    }

    private static void affinity(Affinity affinity, SortedSet<String> names) {
        if (affinity.getNodeAffinity() != null
                && affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution()
                        != null) {
            names.add("nodeAffinity" + REQUIRED);
        }
        if (affinity.getPodAffinity() != null
                && given(affinity.getPodAffinity()
                        .getRequiredDuringSchedulingIgnoredDuringExecution())) {
            names.add("podAffinity" + REQUIRED);
        }
        if (affinity.getPodAntiAffinity() != null
                && given(affinity.getPodAntiAffinity()
                        .getRequiredDuringSchedulingIgnoredDuringExecution())) {
            names.add("podAntiAffinity" + REQUIRED);
        }
    }

    private static boolean given(Collection<?> terms) {
        return terms != null && !terms.isEmpty();
    }

    private static Stream<Container> containers(PodSpec spec) {
        return Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream());
    }

    private static boolean takesHostPort(Container container) {
        return container.getPorts().stream()
                .anyMatch(port -> port.getHostPort() != null && port.getHostPort() != 0);
    }

    /** Volumes that tie a pod to some nodes, or may be attached to so many pods only. */
    private static void volume(Volume volume, SortedSet<String> names) {
        addIf(volume.getPersistentVolumeClaim() != null, "volume persistentVolumeClaim", names);
        addIf(volume.getEphemeral() != null, "volume ephemeral", names);
        addIf(volume.getCsi() != null, "volume csi", names);
        addIf(volume.getIscsi() != null, "volume iscsi", names);
        addIf(volume.getRbd() != null, "volume rbd", names);
        addIf(volume.getGcePersistentDisk() != null, "volume gcePersistentDisk", names);
        addIf(volume.getAwsElasticBlockStore() != null, "volume awsElasticBlockStore", names);
        addIf(volume.getAzureDisk() != null, "volume azureDisk", names);
    }

    private static void addIf(boolean present, String name, SortedSet<String> names) {
        if (present) {
            names.add(name);
        }
    }
}
