package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.KubeletRig.CORE;
import static dev.cede.testbed.kubelet.KubeletRig.LIMIT;
import static dev.cede.testbed.kubelet.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.KubeletRig.pod;
import static dev.cede.testbed.kubelet.KubeletRig.uid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.TinyPlugin.Call;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class KubeletIT {
    private static final List<String> MEM_A = TinyPlugin.ids("aaaaaaaa", 'm', 16);
    private static final List<String> CORE_A = TinyPlugin.ids("aaaaaaaa", 'c', 100);

    @Test
    void aContainerIsServedResourceByResourceAndThenRuns() throws IOException {
        try (KubeletRig rig = KubeletRig.plain()) {
            rig.plugin(MEMORY, MEM_A, plugin -> {
                plugin.preference = wish -> MEM_A.subList(3, 3 + wish.getAllocationSize());
                plugin.preStart = true;
                return plugin;
            });
            rig.plugin(CORE, CORE_A);

            Pod pod = rig.add(pod("one", Map.of(MEMORY, 8, CORE, 50)));
            rig.running(pod);

            List<Call> calls = List.copyOf(rig.calls);
            assertEquals(
                    new TreeSet<>(MEM_A.subList(3, 11)),
                    new TreeSet<>(rig.calls("allocate").stream()
                            .filter(call -> call.resource().equals(MEMORY))
                            .findFirst()
                            .orElseThrow()
                            .ids()));
            assertEquals(1, rig.calls("prestart").size(), calls::toString);
            assertTrue(calls.getLast().name().equals("prestart"), calls::toString);
            rig.api.deletePod(uid(pod), 30);
            rig.api.awaitGone(uid(pod), LIMIT);
        }
    }
}
