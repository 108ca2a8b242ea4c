package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.Mount;
import dev.cede.testbed.kubelet.contract.TinyPlugin.Call;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a container starts, and starts again. */
abstract class StartContract extends KubeletContract {
    @Test
    void aFailedPreStartIsTriedAgainAndThePodDoesNotFail() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 16), made -> {
            made.preStart = true;
            made.preStartRefusal = Optional.of("wrong card");
            return made;
        });
        Pod pod = rig.add("one", Map.of(MEMORY, 8));
        Pod waiting = rig.await(
                pod,
                now -> waitsFor(
                        now.getStatus(),
                        "device plugin PreStartContainer rpc failed with err: rpc error: code ="
                                + " FailedPrecondition desc = wrong card"),
                "a refusal");
        assertEquals("Pending", KubeletRig.phase(waiting));

        plugin.preStartRefusal = Optional.empty();
        rig.running(pod);
        assertEquals(1, rig.calls("allocate").size());
        assertTrue(rig.calls("prestart").size() >= 2, rig.calls::toString);
    }

    private static boolean waitsFor(PodStatus status, String words) {
        return status.getContainerStatuses().stream()
                .map(container -> container.getState().getWaiting())
                .anyMatch(waiting -> waiting != null
                        && waiting.getMessage() != null
                        && waiting.getMessage().contains(words));
    }

    @Test
    void preStartComesBeforeEveryStartAndAllocateOnlyOnce() {
        rig.plugin(MEMORY, rig.ids('m', 16), plugin -> {
            plugin.preStart = true;
            return plugin;
        });
        rig.calls.clear();
        Pod pod = rig.add("one", Map.of(MEMORY, 8), "--exit-after-seconds=0", "--exit-code=1");
        rig.await(pod, now -> restarts(now) >= 1, "a restart");

        List<String> calls = rig.calls.stream().map(Call::name).toList();
        assertEquals(List.of("allocate", "prestart", "prestart"), calls.subList(0, 3));
        assertEquals(1, rig.calls("allocate").size());
    }

    private static int restarts(Pod pod) {
        return pod.getStatus().getContainerStatuses().stream()
                .mapToInt(container -> container.getRestartCount())
                .sum();
    }

    @Test
    void environmentAndMountsReachTheContainerAndThePodsOwnVariableWins(@TempDir Path folder)
            throws IOException {
        Files.writeString(folder.resolve("limits"), "memory_mib=512\n");
        rig.plugin(MEMORY, rig.ids('m', 4), plugin -> {
            plugin.allocate = ids -> TinyPlugin.answer(ContainerAllocateResponse.newBuilder()
                    .putEnvs("WHO", "plugin")
                    .putEnvs("LIMIT", "plugin")
                    .addMounts(Mount.newBuilder()
                            .setContainerPath("/var/run/contract")
                            .setHostPath(folder.toString())
                            .setReadOnly(true))
                    .build());
            return plugin;
        });
        Pod pod = rig.pod("one", Map.of(MEMORY, 1));
        main(pod).getEnv().add(new EnvVar("WHO", "pod", null));
        Pod running = rig.running(rig.kubelet.add(pod));

        List<String> environment = environment(rig.process(running));
        assertTrue(environment.contains("WHO=pod"), environment::toString);
        assertTrue(environment.contains("LIMIT=plugin"), environment::toString);
        Path limits = rig.kubelet.file(running, "main", "/var/run/contract/limits");
        assertEquals("memory_mib=512\n", Files.readString(limits));
    }

    private static Container main(Pod pod) {
        return pod.getSpec().getContainers().getFirst();
    }

    private static List<String> environment(ProcessHandle process) throws IOException {
        Path file = Path.of("/proc", String.valueOf(process.pid()), "environ");
        return List.of(Files.readString(file).split("\0"));
    }

    /** T4 again: devices that came after the admission are asked for at the start. */
    @Test
    void aResourceThatBecameKnownAfterAdmissionIsAllocatedAtTheStart() {
        Pod pod = podWithLateResource(false);
        rig.running(pod);

        assertEquals(1, rig.calls("allocate").size());
        assertEquals(2, rig.devices(pod, late(pod)).size());
    }

    @Test
    void aPluginThatAsksForPreStartLetsNoContainerStartThatWasAdmittedBeforeItCame() {
        Pod pod = podWithLateResource(true);
        rig.await(
                pod,
                now -> waitsFor(now.getStatus(), "no devices found allocated in local cache"),
                "an error");

        assertEquals(List.of(), rig.calls("allocate"));
        assertEquals(List.of(), rig.calls("prestart"));
    }

    /** Its plugin registers while the init container runs. */
    private Pod podWithLateResource(boolean preStart) {
        String late = "contract.cede.dev/late-" + Long.toHexString(System.nanoTime());
        Pod pod = rig.pod("one", Map.of(late, 2));
        Container init = main(rig.pod("init", Map.of(), "--exit-after-seconds=2"));
        Pod added = rig.kubelet.add(new PodBuilder(pod)
                .editSpec()
                .addToInitContainers(new ContainerBuilder(init).withName("init").build())
                .endSpec()
                .build());
        rig.await(added, now -> initRuns(now.getStatus()), "the init container");
        rig.plugin(late, rig.ids('l', 4), plugin -> {
            plugin.preStart = preStart;
            return plugin;
        });
        assertEquals(List.of(), rig.calls("allocate"));
        return added;
    }

    private static String late(Pod pod) {
        return main(pod).getResources().getLimits().keySet().iterator().next();
    }

    private static boolean initRuns(PodStatus status) {
        return status.getInitContainerStatuses().stream()
                .map(container -> container.getState())
                .map(ContainerState::getRunning)
                .anyMatch(running -> running != null);
    }

    @Test
    void aContainerWhosePluginIsAwayWaits() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 4), made -> {
            made.preStart = true;
            return made;
        });
        Pod pod = rig.running(rig.add("one", Map.of(MEMORY, 2)));
        ProcessHandle process = rig.process(pod);
        plugin.close();
        process.destroyForcibly();
        rig.await(
                pod,
                now -> waitsFor(now.getStatus(), "PreStartContainer rpc failed"),
                "a failed start");
    }
}
