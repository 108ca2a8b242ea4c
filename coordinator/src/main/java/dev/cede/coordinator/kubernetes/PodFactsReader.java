package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.ContainerFacts.Kind;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.PodRef;
import dev.cede.model.Resources;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads {@link PodFacts} out of a pod object. Pure. */
public final class PodFactsReader {
    /** What the API server fills in where a manifest names no scheduler. */
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** Seconds; what the API server fills in where a manifest gives no grace. */
    private static final long DEFAULT_GRACE_SECONDS = 30;

    /** On the API server's copy of a static pod. */
    private static final String MIRROR = "kubernetes.io/config.mirror";

    /** Annotations that rules speak of begin with one of these. */
    private static final List<String> USED_ANNOTATIONS = List.of(
            "cede.dev/", "volcano.sh/", "scheduling.volcano.sh/", "scheduling.k8s.io/group-name");

    private PodFactsReader() {}

    public static PodFacts read(Pod pod) {
        ObjectMeta meta = pod.getMetadata();
        PodSpec spec = pod.getSpec();
        PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
        return new PodFacts(
                ref(pod),
                Texts.orEmpty(meta.getResourceVersion()),
                Objects.requireNonNullElse(spec.getSchedulerName(), DEFAULT_SCHEDULER),
                Objects.requireNonNullElse(spec.getPriority(), 0),
                Texts.orEmpty(spec.getPriorityClassName()),
                "Never".equals(spec.getPreemptionPolicy()),
                !spec.getSchedulingGates().isEmpty(),
                Texts.given(spec.getNodeName()),
                Texts.given(status.getNominatedNodeName()),
                phase(status),
                Texts.orEmpty(status.getReason()),
                Texts.time(meta.getCreationTimestamp()).orElse(Instant.EPOCH),
                Texts.time(meta.getDeletionTimestamp()),
                grace(spec),
                Texts.time(status.getStartTime()),
                owner(meta),
                annotations(meta).containsKey(MIRROR),
                sorted(meta.getLabels()),
                usedAnnotations(meta),
                containers(spec),
                PodRequests.of(pod),
                PodConstraints.of(spec),
                scheduledMessage(status),
                Fence.read(status.getConditions()),
                listsUnits(status));
    }

    private static boolean listsUnits(PodStatus status) {
        return status.getContainerStatuses().stream()
                .flatMap(container -> container.getAllocatedResourcesStatus().stream())
                .anyMatch(of -> of.getName().equals(Resources.MEMORY)
                        || of.getName().equals(Resources.CORE));
    }

    static PodRef ref(HasMetadata object) {
        ObjectMeta meta = object.getMetadata();
        return new PodRef(meta.getNamespace(), meta.getName(), meta.getUid());
    }

    private static PodPhase phase(PodStatus status) {
        return switch (Texts.orEmpty(status.getPhase())) {
            case "", "Pending" -> PodPhase.PENDING;
            case "Running" -> PodPhase.RUNNING;
            case "Succeeded" -> PodPhase.SUCCEEDED;
            case "Failed" -> PodPhase.FAILED;
            default -> PodPhase.UNKNOWN;
        };
    }

    private static Duration grace(PodSpec spec) {
        return Duration.ofSeconds(Objects.requireNonNullElse(
                spec.getTerminationGracePeriodSeconds(), DEFAULT_GRACE_SECONDS));
    }

    private static Optional<OwnerRef> owner(ObjectMeta meta) {
        return meta.getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .findFirst()
                .map(PodFactsReader::owner);
    }

    private static OwnerRef owner(OwnerReference owner) {
        return new OwnerRef(owner.getKind(), owner.getName(), owner.getUid());
    }

    private static Map<String, String> usedAnnotations(ObjectMeta meta) {
        SortedMap<String, String> used = sorted(meta.getAnnotations());
        used.keySet().removeIf(key -> USED_ANNOTATIONS.stream().noneMatch(key::startsWith));
        return used;
    }

    private static Map<String, String> annotations(ObjectMeta meta) {
        return meta.getAnnotations() == null ? Map.of() : meta.getAnnotations();
    }

    private static SortedMap<String, String> sorted(Map<String, String> map) {
        return map == null ? new TreeMap<>() : new TreeMap<>(map);
    }

    private static List<ContainerFacts> containers(PodSpec spec) {
        Stream<ContainerFacts> init = spec.getInitContainers().stream()
                .map(c -> container(c, PodRequests.isSidecar(c) ? Kind.SIDECAR : Kind.INIT));
        Stream<ContainerFacts> app = spec.getContainers().stream().map(c -> container(c, Kind.APP));
        return Stream.concat(init, app).toList();
    }

    private static ContainerFacts container(Container container, Kind kind) {
        ResourceRequirements resources =
                Objects.requireNonNullElseGet(container.getResources(), ResourceRequirements::new);
        return new ContainerFacts(
                container.getName(),
                kind,
                amount(resources.getLimits(), Resources.MEMORY),
                amount(resources.getRequests(), Resources.MEMORY),
                amount(resources.getLimits(), Resources.CORE),
                amount(resources.getRequests(), Resources.CORE),
                amount(resources.getLimits(), Resources.WHOLE_CARD));
    }

    /**
     * A whole amount as a plain number, since the API server does not keep how it was written: it
     * answers 1000 as 1k. Any other as it is.
     */
    private static String amount(Map<String, Quantity> amounts, String resource) {
        Quantity amount = amounts == null ? null : amounts.get(resource);
        if (amount == null) {
            return "";
        }
        BigDecimal number = amount.getNumericalAmount().stripTrailingZeros();
        return number.scale() <= 0 ? number.toPlainString() : amount.toString();
    }

    private static String scheduledMessage(PodStatus status) {
        return status.getConditions().stream()
                .filter(condition -> "PodScheduled".equals(condition.getType()))
                .filter(condition -> "False".equals(condition.getStatus()))
                .map(PodCondition::getMessage)
                .map(Texts::orEmpty)
                .findFirst()
                .orElse("");
    }
}
