package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.KubeletRig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.junit.jupiter.api.Test;

/** Kubelet goes away and comes back; the node's containers go on. */
abstract class RestartContract extends KubeletContract {
    private static final Map<String, Integer> TWO = Map.of(MEMORY, 2);

    /** B26: a plugin's socket is wiped, running containers and what they have stay. */
    @Test
    void aRestartWipesSocketsAndKeepsContainersAndTheirDevices() throws IOException {
        List<String> ids = rig.ids('m', 16);
        TinyPlugin plugin = rig.plugin(MEMORY, ids, made -> {
            made.preStart = true;
            return made;
        });
        Pod pod = rig.running(rig.add("one", Map.of(MEMORY, 12)));
        ProcessHandle process = rig.process(pod);
        NavigableSet<String> before = rig.devices(pod, MEMORY);
        Path stray = Files.writeString(rig.kubelet.pluginDirectory().resolve("stray"), "");

        rig.kubelet.stopKubelet();
        assertTrue(Files.exists(socket()), "it stays, and nobody listens");
        assertThrows(StatusRuntimeException.class, plugin::register);
        start(plugin);
        assertTrue(Files.deleteIfExists(stray));
        assertUnhealthy(rig.rejected(rig.add("early", TWO)));

        rig.plugin(MEMORY, ids);
        rig.rejected(rig.add("greedy", Map.of(MEMORY, 5)));
        rig.running(rig.add("modest", Map.of(MEMORY, 4)));
        assertTrue(process.isAlive());
        assertEquals("Running", KubeletRig.phase(rig.kubelet.current(pod).orElseThrow()));
        assertEquals(before, rig.devices(pod, MEMORY));
        assertEquals(2, rig.calls("allocate").size());
        assertEquals(1, rig.calls("prestart").size());
    }

    private void start(TinyPlugin registeredBefore) {
        rig.kubelet.startKubelet();
        await(() -> !Files.exists(registeredBefore.socket()), "end of the plugin's socket");
        await(() -> Files.exists(socket()), "kubelet's socket");
    }

    private Path socket() {
        return rig.kubelet.pluginDirectory().resolve("kubelet.sock");
    }

    private static void assertUnhealthy(Pod pod) {
        String message = pod.getStatus().getMessage();
        assertTrue(message.contains("no healthy devices present"), message);
    }

    /** Kubelet remembers who has which devices, but not that somebody wants to be asked. */
    @Test
    void aContainerThatRestartsBeforeThePluginIsBackStartsWithoutPreStart() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 16), made -> {
            made.preStart = true;
            return made;
        });
        Pod pod = rig.running(rig.add("one", TWO));
        rig.kubelet.stopKubelet();
        start(plugin);
        assertUnhealthy(rig.rejected(rig.add("early", TWO)));

        rig.process(pod).destroyForcibly();
        rig.await(
                pod,
                now -> now.getStatus().getContainerStatuses().getFirst().getRestartCount() == 1
                        && KubeletRig.phase(now).equals("Running"),
                "a restart");
        assertEquals(1, rig.calls("prestart").size());
    }

    @Test
    void whatEndedWhileKubeletWasAwayIsSeenWhenItIsBack() {
        List<String> ids = rig.ids('m', 16);
        TinyPlugin plugin = rig.plugin(MEMORY, ids);
        Pod dead = rig.running(rig.add("dead", Map.of(MEMORY, 6)));
        Pod gone = rig.running(rig.add("gone", Map.of(MEMORY, 6)));
        ProcessHandle process = rig.process(gone);
        Pod alive = rig.running(rig.add("alive", TWO));

        rig.kubelet.stopKubelet();
        rig.process(dead).destroyForcibly();
        rig.kubelet.delete(gone, 0);
        assertTrue(process.isAlive());
        start(plugin);
        assertUnhealthy(rig.rejected(dead));
        await(() -> !process.isAlive(), "end of a process whose pod is gone");

        plugin.close();
        rig.plugin(MEMORY, ids);
        rig.running(rig.add("next", Map.of(MEMORY, 14)));
        assertEquals("Running", KubeletRig.phase(rig.kubelet.current(alive).orElseThrow()));
    }
}
