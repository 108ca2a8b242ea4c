package dev.cede.testbed.kubelet.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder that stands for the host's {@code /proc}: for each process of a container an entry with
 * its cgroup, and its real stat behind a link.
 */
final class ProcFolder {
    private static final Logger LOG = LoggerFactory.getLogger(ProcFolder.class);

    private final Path folder;

    ProcFolder(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
    }

    /** Files a process, in place of an earlier one with its PID. */
    synchronized void enter(long pid, List<String> cgroup) throws IOException {
        Path entry = folder.resolve(String.valueOf(pid));
        ContainerRoot.delete(entry);
        Files.createDirectory(entry);
        Files.write(entry.resolve("cgroup"), cgroup);
        Files.createSymbolicLink(
                entry.resolve("stat"), Path.of("/proc", String.valueOf(pid), "stat"));
    }

    /** Removes entries whose process is dead. An entry without a link to a process is left alone. */
    synchronized void sweep() {
        for (Path entry : entries()) {
            if (Files.isSymbolicLink(entry.resolve("stat"))
                    && !Files.exists(entry.resolve("stat"))) {
                try {
                    ContainerRoot.delete(entry);
                } catch (IOException e) {
                    LOG.warn("cannot remove {}: {}", entry, e.toString());
                }
            }
        }
    }

    /** Kills what is left in the folder and runs this program: children that outlived their parent. */
    void killAll(Path program, Duration limit) {
        for (Path entry : entries()) {
            process(entry)
                    .filter(process -> process.info()
                            .command()
                            .filter(command -> command.equals(program.toString()))
                            .isPresent())
                    .ifPresent(process -> kill(process, limit));
        }
    }

    private static void kill(ProcessHandle process, Duration limit) {
        process.destroyForcibly();
        boolean gone = process.onExit()
                .thenApply(ended -> true)
                .completeOnTimeout(false, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        if (!gone) {
            LOG.warn("process {} does not die", process.pid());
        }
    }

    private static Optional<ProcessHandle> process(Path entry) {
        return ProcessHandle.of(Long.parseLong(entry.getFileName().toString()));
    }

    private List<Path> entries() {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
                    .toList();
        } catch (IOException e) {
            LOG.warn("cannot list {}: {}", folder, e.toString());
            return List.of();
        }
    }
}
