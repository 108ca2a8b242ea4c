package dev.cede.agent.host;

import dev.cede.agent.core.LiveProcess;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The processes of the machine, as /proc shows them. */
public final class ProcessTable {
    /** In /proc/PID/stat after the name: state is the first field, start time the 20th. */
    private static final int START_TIME = 19;

    private final Path root;

    public ProcessTable(Path root) {
        this.root = root;
    }

    /** A process that runs; empty when it is gone, is a zombie, or cannot be looked at. */
    public Optional<LiveProcess> live(int pid) {
        Path folder = root.resolve(Integer.toString(pid));
        return text(folder.resolve("cgroup")).flatMap(cgroup -> live(folder, pid, cgroup));
    }

    private static Optional<LiveProcess> live(Path folder, int pid, String cgroup) {
        Optional<String> podUid = Cgroups.podOf(cgroup).map(Cgroups.PodCgroup::podUid);
        return text(folder.resolve("stat")).flatMap(stat -> parse(pid, stat, podUid));
    }

    private static Optional<LiveProcess> parse(int pid, String stat, Optional<String> podUid) {
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        if (open < 0 || close < open || close + 2 > stat.length()) {
            return Optional.empty();
        }
        String[] fields = stat.substring(close + 2).strip().split(" ", -1);
        String name = stat.substring(open + 1, close);
        boolean dead = fields[0].equals("Z") || fields[0].equals("X");
        return dead || fields.length <= START_TIME
                ? Optional.empty()
                : Optional.of(
                        new LiveProcess(pid, Long.parseLong(fields[START_TIME]), name, podUid));
    }

    /**
     * All that run in these pods.
     *
     * @throws IOException where the table as a whole cannot be read
     */
    public SortedMap<String, List<LiveProcess>> inPods(Set<String> podUids) throws IOException {
        SortedMap<String, List<LiveProcess>> found = new TreeMap<>();
        if (podUids.isEmpty()) {
            return found;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, "[0-9]*")) {
            for (Path folder : folders) {
                text(folder.resolve("cgroup"))
                        .filter(cgroup -> Cgroups.podOf(cgroup)
                                .filter(pod -> podUids.contains(pod.podUid()))
                                .isPresent())
                        .flatMap(cgroup -> live(folder, pid(folder), cgroup))
                        .ifPresent(process -> found.computeIfAbsent(
                                        process.podUid().orElseThrow(), uid -> new ArrayList<>())
                                .add(process));
            }
        }
        return found;
    }

    private static int pid(Path folder) {
        return Integer.parseInt(folder.getFileName().toString());
    }

    /** A process may end while it is read: then it is gone. */
    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
