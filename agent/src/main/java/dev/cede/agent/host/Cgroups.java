package dev.cede.agent.host;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Pods in the text of /proc/PID/cgroup, as kubelet and the container runtimes name them. */
final class Cgroups {
    /** cgroupfs driver: {@code …/kubepods/burstable/pod<uid>/<container>}. */
    private static final Pattern FILES =
            Pattern.compile("/kubepods(?:/[^/]+)?/pod([^/]+)(?:/(.*))?$");

    /** systemd driver: {@code …/kubepods-burstable-pod<uid>.slice/cri-containerd-<id>.scope}. */
    private static final Pattern SLICES =
            Pattern.compile("/kubepods(?:-[a-z]+)?-pod([0-9A-Za-z_]+)\\.slice(?:/(.*))?$");

    /** A container's id is 64 hexadecimal digits with every runtime. */
    private static final Pattern CONTAINER = Pattern.compile("([0-9a-f]{64})");

    private Cgroups() {}

    /**
     * Whose cgroup a path is.
     *
     * @param containerId empty where the path does not tell
     */
    record PodCgroup(String podUid, Optional<String> containerId) {}

    /** The pod a process runs in; empty where it runs in none. */
    static Optional<PodCgroup> podOf(String cgroupFile) {
        return cgroupFile
                .lines()
                .map(Cgroups::path)
                .flatMap(path -> find(path).stream())
                .findFirst();
    }

    /** The third field of {@code 5:memory:/path}; the path may hold colons itself. */
    private static String path(String line) {
        int first = line.indexOf(':');
        int second = line.indexOf(':', first + 1);
        return first < 0 || second < 0 ? "" : line.substring(second + 1);
    }

    private static Optional<PodCgroup> find(String path) {
        Matcher slices = SLICES.matcher(path);
        if (slices.find()) {
            // systemd reads a dash in a slice's name as a level, so kubelet writes underscores.
            return Optional.of(
                    new PodCgroup(slices.group(1).replace('_', '-'), container(slices.group(2))));
        }
        Matcher files = FILES.matcher(path);
        return files.find()
                ? Optional.of(new PodCgroup(files.group(1), container(files.group(2))))
                : Optional.empty();
    }

    private static Optional<String> container(String below) {
        if (below == null) {
            return Optional.empty();
        }
        Matcher container = CONTAINER.matcher(below);
        return container.find() ? Optional.of(container.group(1)) : Optional.empty();
    }
}
