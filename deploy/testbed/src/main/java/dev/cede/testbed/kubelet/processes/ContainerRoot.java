package dev.cede.testbed.kubelet.processes;

import dev.cede.kubelet.deviceplugin.DeviceSpec;
import dev.cede.kubelet.deviceplugin.Mount;
import dev.cede.testbed.kubelet.core.ContainerLaunch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** A folder that stands for the file system a container sees. A mount is a link to its host path. */
final class ContainerRoot {
    /** Where a device plugin mounts the folder with a container's limits, and the file in it. */
    private static final String LIMITS = "/var/run/cede";

    private static final String LIMIT_FILE = "limits";

    private final Path folder;
    private final Path rootfs;

    ContainerRoot(Path containers, ContainerLaunch launch) {
        this.folder =
                containers.resolve(launch.pod().uid()).resolve(launch.spec().name());
        this.rootfs = folder.resolve("rootfs");
    }

    Path log() {
        return folder.resolve("log");
    }

    /** Anew for each start, from the mounts that hold for it. */
    void build(ContainerLaunch launch) throws IOException {
        delete(rootfs);
        Files.createDirectories(rootfs);
        for (Mount mount : launch.mounts().stream()
                .sorted(Comparator.comparing(Mount::getContainerPath))
                .toList()) {
            link(mount.getContainerPath(), mount.getHostPath());
        }
        for (DeviceSpec device : launch.devices()) {
            link(device.getContainerPath(), device.getHostPath());
        }
    }

    private void link(String containerPath, String hostPath) throws IOException {
        Path link = inside(containerPath);
        if (!Files.exists(Path.of(hostPath))) {
            throw new IOException(
                    "host path " + hostPath + " of mount " + containerPath + " does not exist");
        }
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(hostPath));
    }

    private Path inside(String containerPath) {
        return rootfs.resolve(Path.of("/").relativize(Path.of(containerPath).normalize()));
    }

    /** The file with the container's limits, if one is mounted. */
    Optional<Path> limitFile(ContainerLaunch launch) {
        return launch.mounts().stream()
                        .anyMatch(mount -> mount.getContainerPath().equals(LIMITS))
                ? Optional.of(inside(LIMITS).resolve(LIMIT_FILE))
                : Optional.empty();
    }

    /** Deletes a folder and all in it; links, not what they point to. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
