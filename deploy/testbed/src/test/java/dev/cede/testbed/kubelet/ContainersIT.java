package dev.cede.testbed.kubelet;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.Mount;
import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.kubelet.contract.KubeletRig;
import dev.cede.testbed.kubelet.contract.StandInKubelet;
import dev.cede.testbed.kubelet.processes.CgroupForm;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only the stand-in's containers can be: of either cgroup form, with a /proc of their own. */
@Timeout(300)
final class ContainersIT {
    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void aContainerHoldsTheCardAndTheMemoryThatItsPluginsSay(@TempDir Path folder)
            throws IOException {
        SimulatedCards cards = SimulatedCards.in(folder.resolve("cards"));
        String uuid = cards.add(1024, 0).uuid();
        Path limits = Files.createDirectory(folder.resolve("limits-of-one"));
        Files.writeString(limits.resolve("limits"), "memory_mib=512\ncore_percentage=50\n");
        StandInKubelet kubelet =
                new StandInKubelet(builder -> builder.environment(cards.environment()));
        try (KubeletRig rig = new KubeletRig(kubelet)) {
            rig.plugin(
                    MEMORY,
                    4,
                    ContainerAllocateResponse.newBuilder()
                            .putEnvs("NVIDIA_VISIBLE_DEVICES", uuid)
                            .addMounts(Mount.newBuilder()
                                    .setContainerPath("/var/run/cede")
                                    .setHostPath(limits.toString())
                                    .setReadOnly(true))
                            .build());
            Pod hungry = rig.pod("one", Map.of(MEMORY, 4));
            hungry.getSpec().getContainers().getFirst().setEnv(List.of());
            Pod pod = rig.running(kubelet.add(hungry));
            KubeletRig.await(
                    () -> kubelet.log(pod, "main").contains("holds mib=512"), "the hog's claim");
            long pid = rig.process(pod).pid();

            Path entry = kubelet.proc().resolve(String.valueOf(pid));
            assertTrue(
                    read(entry.resolve("cgroup"))
                            .matches(
                                    "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod"
                                            + pod.getMetadata().getUid().replace('-', '_')
                                            + ".slice/cri-containerd-[0-9a-f]{64}.scope\n"),
                    () -> read(entry.resolve("cgroup")));
            assertTrue(read(entry.resolve("stat")).startsWith(pid + " "));
            kubelet.delete(pod, 30);
            KubeletRig.await(() -> !Files.exists(entry), "end of the process's entry");
        }
    }

    @Test
    void versionOneCgroupsCanBeHadAndNothingOfThisProcessesEnvironment() {
        StandInKubelet kubelet =
                new StandInKubelet(builder -> builder.cgroups(CgroupForm.V1_CGROUPFS));
        try (KubeletRig rig = new KubeletRig(kubelet)) {
            rig.plugin(MEMORY, 4, ContainerAllocateResponse.getDefaultInstance());
            Pod pod = rig.running(rig.add("one", Map.of(MEMORY, 1)));
            String pid = String.valueOf(rig.process(pod).pid());

            String cgroup = read(kubelet.proc().resolve(pid).resolve("cgroup"));
            assertTrue(
                    cgroup.lines()
                            .anyMatch(line -> line.matches("12:memory:/kubepods/besteffort/pod"
                                    + pod.getMetadata().getUid() + "/[0-9a-f]{64}")),
                    cgroup);
            List<String> environment =
                    List.of(read(Path.of("/proc", pid, "environ")).split("\0"));
            assertTrue(environment.contains("PATH=/usr/local/bin:/usr/bin:/bin"));
            assertFalse(
                    environment.stream().anyMatch(line -> line.startsWith("JAVA_HOME")),
                    environment::toString);
        }
    }
}
