package dev.cede.testbed.kubelet;

import dev.cede.nvml.sim.NativeBinaries;
import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.KubeletCore;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.processes.CgroupForm;
import dev.cede.testbed.kubelet.processes.Containers;
import dev.cede.testbed.kubelet.sockets.PluginConnections;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A kubelet for tests and for the sandbox: real unix sockets towards device plugins, real processes
 * as containers, and the decisions of {@link KubeletCore}. Closing it ends its containers.
 */
public final class Kubelet implements AutoCloseable {
    private final KubeletConfig config;
    private final Containers containers;
    private Optional<KubeletRun> run = Optional.empty();

    private Kubelet(KubeletConfig config) throws IOException {
        this.config = config;
        this.containers = new Containers(config.containers(), config.clock(), this::post);
    }

    public static Builder builder(String nodeName, NodeApi api) {
        return new Builder(nodeName, api);
    }

    private void post(Event event) {
        current().ifPresent(now -> now.post(event));
    }

    private synchronized Optional<KubeletRun> current() {
        return run;
    }

    private synchronized void start() throws IOException {
        KubeletRun next = new KubeletRun(config, containers);
        run = Optional.of(next);
        next.start();
    }

    /** Ends kubelet's own process; its containers go on. */
    public void stop() {
        Optional<KubeletRun> ended;
        synchronized (this) {
            ended = run;
            run = Optional.empty();
        }
        ended.ifPresent(KubeletRun::close);
    }

    /** Starts a stopped kubelet: sockets are wiped, the checkpoint is read. */
    public void startAgain() throws IOException {
        if (current().isPresent()) {
            throw new IllegalStateException("kubelet of " + config.nodeName() + " runs");
        }
        start();
    }

    /** As {@code systemctl restart kubelet}: containers go on. */
    public void restart() throws IOException {
        stop();
        startAgain();
    }

    /** As a reboot of the node: no container survives; checkpoint and pods do. */
    public void reboot() throws IOException {
        stop();
        containers.killAll();
        startAgain();
    }

    /** Lets time-driven work be looked at now, for a clock that was set forward. */
    public void wake() {
        post(new Event.TimePassed());
    }

    /** Which devices each container of a pod has: container, resource, IDs. */
    public Map<String, Map<String, List<String>>> devicesOf(String podUid) {
        return ask(core -> {
            Map<String, Map<String, List<String>>> found = new LinkedHashMap<>();
            core.grants().getOrDefault(podUid, Map.of()).forEach((container, grants) -> {
                Map<String, List<String>> byResource = new TreeMap<>();
                grants.forEach((resource, grant) -> byResource.put(resource, grant.ids()));
                found.put(container, byResource);
            });
            return found;
        });
    }

    /** Healthy devices of a resource as the plugin's last list had them. */
    public NavigableSet<String> healthy(String resource) {
        return ask(core -> core.allocatable().getOrDefault(resource, new TreeSet<>()));
    }

    public NavigableSet<String> inUse(String resource) {
        return ask(core -> new TreeSet<>(core.inUse(resource)));
    }

    private <T> T ask(Function<KubeletCore, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        current()
                .orElseThrow(() -> new IllegalStateException(
                        "kubelet of " + config.nodeName() + " is stopped"))
                .ask(question, answer::complete);
        return answer.join();
    }

    /** PID of a container's process while it runs. */
    public Optional<Long> pid(String podUid, String container) {
        return containers.pid(podUid, container);
    }

    /** What a container's process printed; it may not exist yet. */
    public Path logFile(String podUid, String container) {
        return config.containers()
                .containersRoot()
                .resolve(podUid)
                .resolve(container)
                .resolve("log");
    }

    @Override
    public void close() {
        stop();
        containers.close();
    }

    /** What a kubelet may be told; all but the directories has a default. */
    public static final class Builder {
        private final String nodeName;
        private final NodeApi api;
        private Path pluginDir;
        private Path podResourcesSocket;
        private Path procRoot;
        private Path containersRoot;
        private Optional<Path> gpuHog = Optional.empty();
        private CgroupForm cgroups = CgroupForm.V2_SYSTEMD;
        private Map<String, String> environment = new TreeMap<>();
        private KubeletSettings settings = KubeletSettings.of(1);
        private PluginConnections.Limits limits = PluginConnections.Limits.real();
        private InstantSource clock = InstantSource.system();

        private Builder(String nodeName, NodeApi api) {
            this.nodeName = nodeName;
            this.api = api;
        }

        /** All four directories below one; keep it short, a socket's path has room for 107 bytes. */
        public Builder under(Path root) {
            return pluginDir(root.resolve("device-plugins"))
                    .podResourcesSocket(root.resolve("pod-resources").resolve("kubelet.sock"))
                    .procRoot(root.resolve("proc"))
                    .containersRoot(root.resolve("containers"));
        }

        public Builder pluginDir(Path directory) {
            this.pluginDir = directory;
            return this;
        }

        public Builder podResourcesSocket(Path socket) {
            this.podResourcesSocket = socket;
            return this;
        }

        public Builder procRoot(Path directory) {
            this.procRoot = directory;
            return this;
        }

        public Builder containersRoot(Path directory) {
            this.containersRoot = directory;
            return this;
        }

        /** What each container runs; by default the gpu-hog of this build. */
        public Builder gpuHog(Path program) {
            this.gpuHog = Optional.of(program);
            return this;
        }

        public Builder cgroups(CgroupForm form) {
            this.cgroups = form;
            return this;
        }

        /** For every container, such as NVML_SIM_DIR. */
        public Builder environment(Map<String, String> environment) {
            this.environment = new TreeMap<>(environment);
            return this;
        }

        /** Seed, pick mode, timing, quirks, size, labels. */
        public Builder settings(UnaryOperator<KubeletSettings> change) {
            this.settings = change.apply(settings);
            return this;
        }

        public Builder seed(long seed) {
            return settings(now -> now.withSeed(seed));
        }

        /** How long kubelet waits for plugins. */
        public Builder limits(PluginConnections.Limits limits) {
            this.limits = limits;
            return this;
        }

        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        /** A running kubelet. */
        public Kubelet start() throws IOException {
            Containers.Settings containers = new Containers.Settings(
                    require(containersRoot, "containersRoot"),
                    require(procRoot, "procRoot"),
                    gpuHog.orElseGet(NativeBinaries::gpuHog),
                    cgroups,
                    environment);
            Kubelet kubelet = new Kubelet(new KubeletConfig(
                    nodeName,
                    require(pluginDir, "pluginDir"),
                    require(podResourcesSocket, "podResourcesSocket"),
                    api,
                    clock,
                    settings,
                    limits,
                    containers));
            kubelet.start();
            return kubelet;
        }

        private static Path require(Path path, String name) {
            if (path == null) {
                throw new IllegalStateException(
                        name + " is missing; give it, or a folder for all with under()");
            }
            return path.toAbsolutePath();
        }
    }
}
