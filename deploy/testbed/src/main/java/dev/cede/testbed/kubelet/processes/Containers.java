package dev.cede.testbed.kubelet.processes;

import dev.cede.testbed.kubelet.core.ContainerLaunch;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.Survivor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The containers of a node: each is a real child process that runs gpu-hog, whatever its image. They
 * outlive a restart of kubelet, as containers do.
 */
public final class Containers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);

    /** Waits until the process is in its cgroup, then becomes the program: same PID. */
    private static final String ENTER = "read -r go && exec \"$0\" \"$@\"";

    /** How long a killed process may take to be gone. */
    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    /**
     * Where and how containers run.
     *
     * @param program what each container runs
     * @param environment what each container's process has beside what its pod and its plugins say
     */
    public record Settings(
            Path containersRoot,
            Path procRoot,
            Path program,
            CgroupForm cgroups,
            Map<String, String> environment) {
        public Settings {
            environment = new TreeMap<>(environment);
        }
    }

    private record Running(
            ContainerLaunch launch, Process process, Instant started, Thread watcher) {}

    private final Settings settings;
    private final InstantSource clock;
    private final ProcFolder procs;
    private final Consumer<Event> events;
    /** Pod UID, slash, container. */
    private final Map<String, Running> running = new TreeMap<>();

    public Containers(Settings settings, InstantSource clock, Consumer<Event> events)
            throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.events = events;
        Files.createDirectories(settings.containersRoot());
        this.procs = new ProcFolder(settings.procRoot());
    }

    private static String key(String podUid, String container) {
        return podUid + "/" + container;
    }

    public void start(ContainerLaunch launch) {
        String uid = launch.pod().uid();
        String name = launch.spec().name();
        try {
            Process process = spawn(launch);
            Thread watcher = Thread.ofVirtual()
                    .name("container-" + name)
                    .unstarted(() -> await(launch, process));
            synchronized (this) {
                running.put(key(uid, name), new Running(launch, process, clock.instant(), watcher));
            }
            release(launch, process);
            events.accept(new Event.ContainerStarted(uid, name, launch.containerId()));
            watcher.start();
        } catch (IOException e) {
            events.accept(new Event.ContainerStartFailed(
                    uid, name, launch.containerId(), e.getMessage()));
        }
    }

    private Process spawn(ContainerLaunch launch) throws IOException {
        ContainerRoot root = new ContainerRoot(settings.containersRoot(), launch);
        root.build(launch);
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", ENTER, settings.program().toString()));
        if (launch.spec().args().stream().allMatch(argument -> argument.startsWith("--"))) {
            command.addAll(launch.spec().args());
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(root.log().toFile()));
        Map<String, String> env = builder.environment();
        env.clear();
        env.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        env.putAll(launch.env());
        env.putAll(settings.environment());
        env.put("SIM_PROC_ROOT", settings.procRoot().toString());
        env.put("SIM_CGROUP", String.join("\\n", settings.cgroups().lines(launch)));
        root.limitFile(launch).ifPresent(file -> env.put("GPU_HOG_LIMIT_FILE", file.toString()));
        return builder.start();
    }

    private void release(ContainerLaunch launch, Process process) {
        try (OutputStream go = process.getOutputStream()) {
            procs.enter(process.pid(), settings.cgroups().lines(launch));
            go.write('\n');
        } catch (IOException e) {
            // It ends without having become the program, and is reported as any process that ends.
            LOG.warn("container did not start pod={}: {}", launch.pod(), e.toString());
            process.destroyForcibly();
        }
    }

    private void await(ContainerLaunch launch, Process process) {
        try {
            process.waitFor();
            ended(launch, process);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended(ContainerLaunch launch, Process process) {
        String uid = launch.pod().uid();
        procs.sweep();
        synchronized (this) {
            running.computeIfPresent(
                    key(uid, launch.spec().name()),
                    (key, now) -> now.process() == process ? null : now);
        }
        LOG.debug(
                "container ended pod={} container={} code={}",
                launch.pod(),
                launch.spec().name(),
                process.exitValue());
        events.accept(new Event.ContainerExited(
                uid, launch.spec().name(), launch.containerId(), process.exitValue()));
    }

    public void signal(String podUid, String container, boolean kill) {
        Optional<Running> found = find(podUid, container);
        if (found.isPresent() && kill) {
            found.get().process().destroyForcibly();
        } else if (found.isPresent()) {
            found.get().process().destroy();
        }
    }

    private synchronized Optional<Running> find(String podUid, String container) {
        return Optional.ofNullable(running.get(key(podUid, container)));
    }

    /** The container's process in this machine's own PIDs. */
    public Optional<Long> pid(String podUid, String container) {
        return find(podUid, container).map(found -> found.process().pid());
    }

    public synchronized List<Survivor> survivors() {
        return running.values().stream()
                .filter(entry -> entry.process().isAlive())
                .map(entry -> new Survivor(
                        entry.launch().pod().uid(),
                        entry.launch().spec().name(),
                        entry.launch().containerId(),
                        entry.started(),
                        0))
                .toList();
    }

    /** Removes the files of a pod of which nothing runs. */
    public void clean(String podUid) {
        try {
            ContainerRoot.delete(settings.containersRoot().resolve(podUid));
        } catch (IOException e) {
            LOG.warn("cannot remove the files of pod uid={}: {}", podUid, e.toString());
        }
        procs.sweep();
    }

    /** Kills every container, as a reboot does, and waits until they are gone. */
    public void killAll() {
        List<Running> all;
        synchronized (this) {
            all = List.copyOf(running.values());
        }
        all.forEach(entry -> entry.process().destroyForcibly());
        procs.killAll(settings.program(), KILL_LIMIT);
        for (Running entry : all) {
            try {
                if (!entry.watcher().join(KILL_LIMIT)) {
                    LOG.warn("process {} does not die", entry.process().pid());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        procs.sweep();
    }

    @Override
    public void close() {
        killAll();
    }
}
