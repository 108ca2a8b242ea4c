package dev.cede.testbed.kubelet.processes;

import dev.cede.testbed.kubelet.core.ContainerLaunch;
import dev.cede.testbed.kubelet.core.PodSpec.Qos;

import java.util.List;

/** How the cgroup of a container's process is named in {@code /proc/<pid>/cgroup}. */
public enum CgroupForm {
    /** Version 2 with systemd names, as on most machines today. */
    V2_SYSTEMD {
        @Override
        List<String> lines(ContainerLaunch launch) {
            String slice = slice(launch.qos());
            String pod = slice.substring(0, slice.length() - ".slice".length()) + "-pod"
                    + launch.pod().uid().replace('-', '_') + ".slice";
            String parent = launch.qos() == Qos.GUARANTEED ? "" : "/" + slice;
            return List.of("0::/kubepods.slice%s/%s/cri-containerd-%s.scope"
                    .formatted(parent, pod, launch.containerId()));
        }

        private String slice(Qos qos) {
            return switch (qos) {
                case GUARANTEED -> "kubepods.slice";
                case BURSTABLE -> "kubepods-burstable.slice";
                case BEST_EFFORT -> "kubepods-besteffort.slice";
            };
        }
    },
    /** Version 1 with the names of the cgroupfs driver: one line a controller. */
    V1_CGROUPFS {
        @Override
        List<String> lines(ContainerLaunch launch) {
            String qos = switch (launch.qos()) {
                case GUARANTEED -> "";
                case BURSTABLE -> "/burstable";
                case BEST_EFFORT -> "/besteffort";
            };
            String path =
                    "/kubepods%s/pod%s/%s".formatted(qos, launch.pod().uid(), launch.containerId());
            return List.of(
                    "12:memory:" + path,
                    "11:cpu,cpuacct:" + path,
                    "10:devices:" + path,
                    "1:name=systemd:" + path,
                    "0::/");
        }
    };

    abstract List<String> lines(ContainerLaunch launch);
}
