package dev.cede.coordinator.config;

import dev.cede.config.SettingsException;
import dev.cede.coordinator.planner.PlannerSettings;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the configuration file. Its directory is watched, since a mounted ConfigMap is exchanged
 * by a link beside the file; and it is read now and then in any case, for file systems that tell
 * nothing. A change of the two switches takes effect at once (F2), of anything else at the next
 * start; a file that cannot be used changes nothing.
 */
public final class ConfigWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);

    static final Duration POLL = Duration.ofSeconds(2);

    private final Path file;
    private final Consumer<PlannerSettings> onChange;
    private final WatchService watcher;
    private final Thread thread;
    private final CoordinatorConfig atStart;
    private PlannerSettings current;
    private String lastText;

    private ConfigWatch(Path file, CoordinatorConfig start, Consumer<PlannerSettings> onChange)
            throws IOException {
        this.file = file.toAbsolutePath();
        this.onChange = onChange;
        this.watcher = this.file.getFileSystem().newWatchService();
        this.thread = Thread.ofPlatform().daemon().name("cede-config").unstarted(this::watch);
        this.atStart = start;
        this.current = start.planner();
        this.lastText = "";
    }

    /** Follows the file that was read as {@code start}. */
    public static ConfigWatch start(
            Path file, CoordinatorConfig start, Consumer<PlannerSettings> onChange) {
        try {
            ConfigWatch watch = new ConfigWatch(file, start, onChange);
            watch.file
                    .getParent()
                    .register(
                            watch.watcher,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE);
            watch.thread.start();
            return watch;
        } catch (IOException e) {
            throw new SettingsException("cannot watch " + file + ": " + e.getMessage());
        }
    }

    private void watch() {
        try {
            while (true) {
                look();
                WatchKey key = watcher.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
                if (key != null) {
                    key.pollEvents();
                    key.reset();
                }
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            LOG.debug("the configuration is not followed any more", e);
        }
    }

    private void look() {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            // Between the two halves of an exchange there is no file.
            LOG.debug("config_unreadable file={}", file, e);
            return;
        }
        if (text.equals(lastText)) {
            return;
        }
        lastText = text;
        try {
            take(CoordinatorConfig.parse(text));
        } catch (SettingsException e) {
            String reason = e.getMessage().replaceAll("\\s+", " ");
            LOG.warn("config_refused file={} kept=previous reason=\"{}\"", file, reason);
        }
    }

    private void take(CoordinatorConfig read) {
        PlannerSettings next = withSwitches(
                current, read.planner().preemption(), read.planner().topologyAware());
        if (!sameButSwitches(read)) {
            LOG.warn("config_changed applied=enable_preemption,enable_topology_aware_preemption"
                    + " others=\"at the next start\"");
        }
        if (!next.equals(current)) {
            current = next;
            LOG.info(
                    "config_changed enable_preemption={} enable_topology_aware_preemption={}",
                    next.preemption(),
                    next.topologyAware());
            onChange.accept(next);
        }
    }

    private boolean sameButSwitches(CoordinatorConfig read) {
        PlannerSettings start = atStart.planner();
        PlannerSettings planner =
                withSwitches(read.planner(), start.preemption(), start.topologyAware());
        return atStart.equals(new CoordinatorConfig(
                read.kubeconfig(),
                read.zookeeper(),
                read.listen(),
                read.security(),
                read.advertise(),
                read.schedulerNames(),
                planner,
                read.workloadPolicy(),
                read.times(),
                read.ignored()));
    }

    private static PlannerSettings withSwitches(
            PlannerSettings from, boolean preemption, boolean topologyAware) {
        return new PlannerSettings(
                preemption,
                topologyAware,
                from.coreStep(),
                from.maxSharesPerCard(),
                from.cardSpread(),
                from.nodeSpread(),
                from.allowMixedNodes(),
                from.waitForRelease());
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            watcher.close();
        } catch (IOException e) {
            LOG.debug("watch not closed", e);
        }
    }
}
