package dev.cede.agent.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.agent.host.Cgroups.PodCgroup;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every form in which kubelet and the container runtimes write a pod's cgroup (B47). */
class CgroupsTest {
    private static final String UID = "1a2b3c4d-0001-4002-8003-a1b2c3d4e5f6";
    private static final String UNDERSCORED = UID.replace('-', '_');
    private static final String HASH = "0123456789abcdef0123456789abcdef";
    private static final String ID = "c0ffee00".repeat(8);

    static Stream<Arguments> forms() {
        String slice = "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod%s.slice/";
        return Stream.of(
                Arguments.of(
                        "v1 cgroupfs",
                        "12:freezer:/kubepods/burstable/pod%s/%s\n1:name=systemd:/x\n0::/\n"
                                .formatted(UID, ID),
                        UID),
                Arguments.of(
                        "v1 cgroupfs, guaranteed",
                        "9:memory:/kubepods/pod%s/%s\n".formatted(UID, ID),
                        UID),
                Arguments.of(
                        "v1 cgroupfs below a root of kubelet's own",
                        "9:memory:/n0/kubepods/besteffort/pod%s/%s\n".formatted(UID, ID),
                        UID),
                Arguments.of(
                        "v1 systemd, docker",
                        "3:cpu,cpuacct:" + slice.formatted(UNDERSCORED) + "docker-" + ID
                                + ".scope\n",
                        UID),
                Arguments.of(
                        "v2 systemd, containerd",
                        "0::" + slice.formatted(UNDERSCORED) + "cri-containerd-" + ID + ".scope\n",
                        UID),
                Arguments.of(
                        "v2 systemd, CRI-O",
                        "0::" + slice.formatted(UNDERSCORED) + "crio-" + ID + ".scope\n",
                        UID),
                Arguments.of(
                        "v2 systemd, CRI-O, nested",
                        "0::" + slice.formatted(UNDERSCORED) + "crio-" + ID + ".scope/container\n",
                        UID),
                Arguments.of(
                        "v2 systemd, guaranteed",
                        "0::/kubepods.slice/kubepods-pod" + UNDERSCORED + ".slice/cri-containerd-"
                                + ID + ".scope\n",
                        UID),
                Arguments.of(
                        "v2 cgroupfs", "0::/kubepods/burstable/pod%s/%s\n".formatted(UID, ID), UID),
                Arguments.of(
                        "a cgroup made inside the container",
                        "0::/kubepods/burstable/pod%s/%s/init.scope\n".formatted(UID, ID),
                        UID),
                Arguments.of(
                        "systemd, with the slice in a colon form",
                        "0::" + slice.formatted(UNDERSCORED) + "cri-containerd:" + ID + "\n",
                        UID),
                Arguments.of(
                        "static pod, cgroupfs",
                        "0::/kubepods/burstable/pod%s/%s\n".formatted(HASH, ID),
                        HASH),
                Arguments.of(
                        "static pod, systemd",
                        "0::" + slice.formatted(HASH) + "cri-containerd-" + ID + ".scope\n",
                        HASH));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    void thePodAndItsContainerAreFound_B47(String form, String text, String uid) {
        assertEquals(Optional.of(new PodCgroup(uid, Optional.of(ID))), Cgroups.podOf(text), form);
    }

    @Test
    void aPodsOwnCgroupNamesNoContainer() {
        assertEquals(
                Optional.of(new PodCgroup(UID, Optional.empty())),
                Cgroups.podOf("0::/kubepods/pod" + UID + "\n"));
    }

    @Test
    void whatIsNoPodIsUnknown_B47() {
        for (String text : new String[] {
            "",
            "0::/\n",
            "0::/user.slice/user-0.slice/session-1.scope\n",
            "0::/system.slice/kubelet.service\n",
            "0::/kubepods/burstable\n",
            "11:memory:/docker/" + ID + "\n",
            "nonsense"
        }) {
            assertEquals(Optional.empty(), Cgroups.podOf(text), text);
        }
    }
}
