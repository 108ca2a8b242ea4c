package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.Taint;
import dev.cede.model.Resources;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Reads {@link NodeFacts} out of a node object. Pure. */
public final class NodeFactsReader {
    private NodeFactsReader() {}

    public static NodeFacts read(Node node) {
        NodeSpec spec = Objects.requireNonNullElseGet(node.getSpec(), NodeSpec::new);
        NodeStatus status = Objects.requireNonNullElseGet(node.getStatus(), NodeStatus::new);
        Map<String, String> labels = node.getMetadata().getLabels();
        Map<String, Long> allocatable = PodRequests.amounts(status.getAllocatable());
        return new NodeFacts(
                node.getMetadata().getName(),
                Texts.orEmpty(node.getMetadata().getUid()),
                Boolean.TRUE.equals(spec.getUnschedulable()),
                ready(status),
                labels == null ? Map.of() : new TreeMap<>(labels),
                taints(spec),
                allocatable,
                allocatable.containsKey(Resources.MEMORY));
    }

    private static boolean ready(NodeStatus status) {
        return status.getConditions().stream()
                .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
    }

    private static List<Taint> taints(NodeSpec spec) {
        return spec.getTaints().stream()
                .map(taint -> new Taint(
                        taint.getKey(), Texts.orEmpty(taint.getValue()), taint.getEffect()))
                .toList();
    }
}
