package dev.cede.coordinator.loop;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.ContainerFacts.Kind;
import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Resources;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Pods and nodes as facts, and what becomes of them. */
final class Facts {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

    private Facts() {}

    static NodeFacts node(String name) {
        return node(name, Map.of());
    }

    /** @param devices of ours, as kubelet's status counts them */
    static NodeFacts node(String name, Map<String, Long> devices) {
        Map<String, Long> allocatable =
                new TreeMap<>(Map.of("cpu", 64_000L, "memory", 1L << 40, "pods", 110L));
        allocatable.putAll(devices);
        return new NodeFacts(
                name,
                "uid-" + name,
                false,
                true,
                Map.of("cede.dev/share", "true"),
                List.of(),
                allocatable,
                true);
    }

    static NodeFacts unlabelled(NodeFacts node) {
        return new NodeFacts(
                node.name(),
                node.uid(),
                node.unschedulable(),
                node.ready(),
                Map.of(),
                node.taints(),
                node.allocatable(),
                node.listsShares());
    }

    /** A pod of one container {@code c}; core 0 asks for memory only. */
    static PodFacts pod(String name, int priority, int units, int core) {
        return pod(name, priority, units, core, Optional.empty(), Map.of());
    }

    /** Over several cards (A8), of priority 1000. */
    static PodFacts spread(String name, int cards, int units) {
        PodFacts one = pod(name, 1000, units, 0);
        return labelled(one, Map.of(Resources.GPU_NUMBER, Integer.toString(cards)));
    }

    static PodFacts owned(String name, OwnerRef owner, int priority, int units) {
        return pod(name, priority, units, 0, Optional.of(owner), Map.of());
    }

    /** A member of Volcano's PodGroup of that name. */
    static PodFacts grouped(String name, String group, int priority, int units) {
        return pod(
                name,
                priority,
                units,
                0,
                Optional.empty(),
                Map.of("scheduling.k8s.io/group-name", group));
    }

    private static PodFacts pod(
            String name,
            int priority,
            int units,
            int core,
            Optional<OwnerRef> owner,
            Map<String, String> annotations) {
        return new PodFacts(
                new PodRef("default", name, "uid-" + name),
                "1",
                "volcano",
                priority,
                "",
                false,
                false,
                Optional.empty(),
                Optional.empty(),
                PodPhase.PENDING,
                "",
                CREATED,
                Optional.empty(),
                Duration.ofSeconds(30),
                Optional.empty(),
                owner,
                false,
                Map.of(),
                annotations,
                List.of(container("c", Kind.APP, units, core)),
                Map.of(),
                NodeNeeds.NONE,
                "",
                Epoch.NONE,
                false);
    }

    /** A pod that asks for a card of the vendor's own plugin. */
    static PodFacts whole(String name) {
        ContainerFacts container = new ContainerFacts("c", Kind.APP, "", "", "", "", "1");
        return with(pod(name, 0, 1, 0), now -> now.containers = List.of(container));
    }

    private static ContainerFacts container(String name, Kind kind, int units, int core) {
        String memory = Integer.toString(units);
        String percent = core == 0 ? "" : Integer.toString(core);
        return new ContainerFacts(name, kind, memory, memory, percent, percent, "");
    }

    /** With a sidecar {@code side} before its containers. */
    static PodFacts withSidecar(PodFacts pod, int units, int core) {
        List<ContainerFacts> containers = new ArrayList<>(pod.containers());
        containers.addFirst(container("side", Kind.SIDECAR, units, core));
        return with(pod, now -> now.containers = containers);
    }

    static PodFacts bound(PodFacts pod, String node) {
        return with(pod, now -> {
            now.node = Optional.of(node);
            now.nominated = Optional.empty();
            now.message = "";
        });
    }

    static PodFacts phase(PodFacts pod, PodPhase phase) {
        return with(pod, now -> now.phase = phase);
    }

    /** As kubelet leaves a pod that it does not admit. */
    static PodFacts rejected(PodFacts pod) {
        return with(pod, now -> {
            now.phase = PodPhase.FAILED;
            now.statusReason = "UnexpectedAdmissionError";
        });
    }

    static PodFacts started(PodFacts pod, Instant at) {
        return with(pod, now -> now.started = Optional.of(at));
    }

    static PodFacts terminating(PodFacts pod, Instant at) {
        return with(pod, now -> now.deletion = Optional.of(at.plus(pod.grace())));
    }

    static PodFacts nominated(PodFacts pod, String node) {
        return with(
                pod, now -> now.nominated = node.isEmpty() ? Optional.empty() : Optional.of(node));
    }

    static PodFacts told(PodFacts pod, String message) {
        return with(pod, now -> now.message = message);
    }

    private static PodFacts labelled(PodFacts pod, Map<String, String> labels) {
        return with(pod, now -> now.labels = labels);
    }

    static PodFacts annotated(PodFacts pod, Map<String, String> annotations) {
        return with(pod, now -> now.annotations = annotations);
    }

    static PodFacts fenced(PodFacts pod, Epoch epoch) {
        return with(pod, now -> now.fence = epoch);
    }

    static PodFacts withGrace(PodFacts pod, Duration grace) {
        return with(pod, now -> now.grace = grace);
    }

    /** As a kubelet with its default gates makes it from 1.36 on (F6). */
    static PodFacts listingUnits(PodFacts pod) {
        return with(pod, now -> now.listsUnits = true);
    }

    /** The next version of a pod. */
    static PodFacts with(PodFacts pod, Consumer<Change> change) {
        Change now = new Change(pod);
        change.accept(now);
        return new PodFacts(
                pod.ref(),
                pod.resourceVersion() + "1",
                now.scheduler,
                pod.priority(),
                pod.priorityClass(),
                now.neverPreempts,
                now.gated,
                now.node,
                now.nominated,
                now.phase,
                now.statusReason,
                pod.created(),
                now.deletion,
                now.grace,
                now.started,
                pod.owner(),
                pod.mirror(),
                now.labels,
                now.annotations,
                now.containers,
                pod.requests(),
                pod.placement(),
                now.message,
                now.fence,
                now.listsUnits);
    }

    /** What of a pod changes in tests. */
    static final class Change {
        String scheduler;
        boolean neverPreempts;
        boolean gated;
        private Optional<String> node;
        private Optional<String> nominated;
        private PodPhase phase;
        private String statusReason;
        private Optional<Instant> deletion;
        private Duration grace;
        private Optional<Instant> started;
        private Map<String, String> labels;
        private Map<String, String> annotations;
        List<ContainerFacts> containers;
        private String message;
        private Epoch fence;
        private boolean listsUnits;

        private Change(PodFacts pod) {
            scheduler = pod.schedulerName();
            neverPreempts = pod.neverPreempts();
            gated = pod.gated();
            node = pod.nodeName();
            nominated = pod.nominatedNode();
            phase = pod.phase();
            statusReason = pod.statusReason();
            deletion = pod.deletionTimestamp();
            grace = pod.grace();
            started = pod.started();
            labels = pod.labels();
            annotations = pod.annotations();
            containers = pod.containers();
            message = pod.scheduledMessage();
            fence = pod.fence();
            listsUnits = pod.listsUnits();
        }
    }
}
