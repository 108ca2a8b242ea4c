package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.core.NodeSize;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;

import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The Node object as this kubelet publishes it. */
public final class NodeView {
    private NodeView() {}

    public static Node of(
            String name, KubeletSettings settings, Effect.PublishNode counts, Instant time) {
        NodeSize size = settings.size();
        String now = StatusMerge.time(time);
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(settings.labels())
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withCapacity(quantities(size, counts.capacity()))
                .withAllocatable(quantities(size, counts.allocatable()))
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withReason("KubeletReady")
                .withMessage("kubelet is posting ready status")
                .withLastHeartbeatTime(now)
                .withLastTransitionTime(now)
                .endCondition()
                .addNewAddress()
                .withType("Hostname")
                .withAddress(name)
                .endAddress()
                .withNewNodeInfo()
                .withKubeletVersion("v1.36.3")
                .withContainerRuntimeVersion("containerd://1.6.20")
                .withOperatingSystem("linux")
                .withArchitecture("amd64")
                .withOsImage("test bed")
                .withKernelVersion("")
                .withMachineID("")
                .withSystemUUID("")
                .withBootID("")
                .withKubeProxyVersion("")
                .endNodeInfo()
                .endStatus()
                .build();
    }

    private static Map<String, Quantity> quantities(
            NodeSize size, SortedMap<String, Long> extended) {
        Map<String, Quantity> quantities = new TreeMap<>();
        quantities.put("cpu", new Quantity(size.cpuMillis() + "m"));
        quantities.put("memory", new Quantity(size.memoryBytes() / 1024 + "Ki"));
        quantities.put("pods", new Quantity(String.valueOf(size.pods())));
        extended.forEach(
                (name, count) -> quantities.put(name, new Quantity(String.valueOf(count))));
        return quantities;
    }
}
