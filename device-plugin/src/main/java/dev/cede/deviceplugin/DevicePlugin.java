package dev.cede.deviceplugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Both resources towards kubelet: serves their sockets and keeps them registered. Nothing is
 * registered before the first {@link #publish}.
 */
public final class DevicePlugin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DevicePlugin.class);
    private static final String KUBELET_SOCKET = "kubelet.sock";

    /** Where no file event tells; also how soon a retry that is due is made. */
    private static final long POLL_MILLIS = 200;

    /**
     * Where the plugin and kubelet meet.
     *
     * @param directory kubelet's for device plugins
     * @param nonce part of the socket files' names, another for each process
     */
    record Place(UnixSockets sockets, Path directory, String nonce) {
        Path kubeletSocket() {
            return directory.resolve(KUBELET_SOCKET);
        }
    }

    private final Place place;
    private final KubeletCalls calls;
    private final Map<DeviceKind, PluginEndpoint> endpoints = new EnumMap<>(DeviceKind.class);
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> named(task, "cede-registration"));
    private final WatchService watcher;
    private Optional<DeviceLists> lists = Optional.empty();
    private Optional<String> lastKubelet = Optional.empty();

    private DevicePlugin(Place place, KubeletCalls calls, WatchService watcher) {
        this.place = place;
        this.calls = calls;
        this.watcher = watcher;
        for (DeviceKind kind : DeviceKind.values()) {
            endpoints.put(kind, new PluginEndpoint(kind, place, calls, this::onThread));
        }
    }

    /** Throws {@link IOException} where the directory cannot be used. */
    public static DevicePlugin start(
            UnixSockets sockets, Path directory, String nonce, KubeletCalls calls)
            throws IOException {
        WatchService watcher = directory.getFileSystem().newWatchService();
        DevicePlugin plugin =
                new DevicePlugin(new Place(sockets, directory, nonce), calls, watcher);
        for (PluginEndpoint endpoint : plugin.endpoints.values()) {
            endpoint.removeStale();
        }
        var unusedKey = directory.register(
                watcher,
                StandardWatchEventKinds.ENTRY_CREATE,
                StandardWatchEventKinds.ENTRY_DELETE);
        named(plugin::watchDirectory, "cede-directory-watch").start();
        var unusedTimer = plugin.thread.scheduleWithFixedDelay(
                plugin::check, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        return plugin;
    }

    private static Thread named(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The node's devices as they are now; what is not new is not sent again. */
    public void publish(DeviceLists now) {
        onThread(() -> {
            lists = Optional.of(now);
            endpoints.forEach((kind, endpoint) -> endpoint.publish(devices(kind)));
            check();
        });
    }

    private List<Device> devices(DeviceKind kind) {
        return lists.map(all -> all.byKind().get(kind)).orElse(List.of());
    }

    private void watchDirectory() {
        try {
            while (true) {
                WatchKey key = watcher.take();
                key.pollEvents();
                onThread(this::check);
                if (!key.reset()) {
                    return;
                }
            }
        } catch (InterruptedException | java.nio.file.ClosedWatchServiceException e) {
            LOG.debug("event=directory_watch_ended");
        }
    }

    private void check() {
        if (lists.isEmpty()) {
            return;
        }
        try {
            Optional<String> kubelet = kubeletSocket();
            if (kubelet.isPresent() && !kubelet.equals(lastKubelet)) {
                lastKubelet = kubelet;
                calls.kubeletStarted(kubeletAge());
            }
            endpoints.forEach((kind, endpoint) -> endpoint.check(kubelet, devices(kind)));
        } catch (IOException | RuntimeException e) {
            LOG.warn("event=registration_check_failed reason=\"{}\"", e.getMessage());
        }
    }

    /** A new kubelet may get its predecessor's inode, so the time counts too. */
    private Optional<String> kubeletSocket() throws IOException {
        Path socket = place.kubeletSocket();
        if (!Files.exists(socket)) {
            return Optional.empty();
        }
        BasicFileAttributes file = Files.readAttributes(socket, BasicFileAttributes.class);
        return Optional.of(file.fileKey() + "@" + file.lastModifiedTime().toInstant());
    }

    private long kubeletAge() throws IOException {
        long made = Files.getLastModifiedTime(place.kubeletSocket()).toMillis();
        return Math.max(0, System.currentTimeMillis() - made);
    }

    private void onThread(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=closed_already");
        }
    }

    /** Takes the sockets away; kubelet then counts the devices as unhealthy. */
    @Override
    public void close() {
        onThread(() -> endpoints.values().forEach(PluginEndpoint::close));
        thread.shutdown();
        try {
            watcher.close();
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (IOException e) {
            LOG.debug("event=directory_watch_left reason=\"{}\"", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
