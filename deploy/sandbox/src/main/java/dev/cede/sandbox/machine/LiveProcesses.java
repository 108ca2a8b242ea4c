package dev.cede.sandbox.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which processes of which pods live: an eye of our own, which asks neither agent nor driver. It
 * reads the cgroups that kubelet gave its containers.
 */
final class LiveProcesses {
    /** A pod's UID in a cgroup's name; systemd's form has underscores. */
    private static final Pattern UID = Pattern.compile(
            "pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})");

    private final List<Path> procRoots;

    LiveProcesses(List<Path> procRoots) {
        this.procRoots = List.copyOf(procRoots);
    }

    /** By pod UID. */
    SortedMap<String, List<ProcessHandle>> byPod() {
        SortedMap<String, List<ProcessHandle>> found = new TreeMap<>();
        for (Path root : procRoots) {
            for (Path entry : entries(root)) {
                add(entry, found);
            }
        }
        return found;
    }

    private static void add(Path entry, SortedMap<String, List<ProcessHandle>> found) {
        String pid = entry.getFileName().toString();
        Matcher uid = UID.matcher(text(entry, "cgroup"));
        if (pid.matches("[0-9]+") && uid.find() && runs(entry)) {
            ProcessHandle.of(Long.parseLong(pid))
                    .filter(ProcessHandle::isAlive)
                    .ifPresent(process -> found.computeIfAbsent(
                                    uid.group(1).replace('_', '-'), key -> new ArrayList<>())
                            .add(process));
        }
    }

    /** A zombie that waits to be reaped is dead: it holds no memory. */
    private static boolean runs(Path entry) {
        String stat = text(entry, "stat");
        int state = stat.lastIndexOf(')') + 2;
        return state < stat.length() && "ZX".indexOf(stat.charAt(state)) < 0;
    }

    private static String text(Path entry, String file) {
        try {
            return Files.readString(entry.resolve(file));
        } catch (IOException e) {
            return ""; // its process is gone
        }
    }

    private static List<Path> entries(Path root) {
        try (Stream<Path> all = Files.list(root)) {
            return all.toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
