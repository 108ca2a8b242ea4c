package dev.cede.sandbox.eyes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which processes of which pods live: an eye of our own, which asks neither agent nor driver. It
 * reads the cgroups that kubelet gave its containers.
 */
public final class LiveProcesses {
    private final SortedSet<Path> procRoots;

    /** @param procRoots such as /proc */
    public LiveProcesses(Collection<Path> procRoots) {
        this.procRoots = new TreeSet<>(procRoots);
    }

    /** By pod UID. */
    public SortedMap<String, List<PodProcess>> byPod() {
        SortedMap<String, List<PodProcess>> found = new TreeMap<>();
        for (Path root : procRoots) {
            entries(root).stream()
                    .flatMap(entry -> PodProcess.of(entry).stream())
                    .filter(PodProcess::lives)
                    .forEach(process -> found.computeIfAbsent(
                                    process.podUid(), uid -> new ArrayList<>())
                            .add(process));
        }
        return found;
    }

    private static List<Path> entries(Path root) {
        try (Stream<Path> all = Files.list(root)) {
            return all.filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
