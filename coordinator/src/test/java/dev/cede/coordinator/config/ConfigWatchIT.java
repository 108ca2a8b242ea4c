package dev.cede.coordinator.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.planner.PlannerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConfigWatchIT {
    private static final String OFF = "zookeeper: zk:2181\ninsecure: true\n";
    private static final String ON = OFF + "enable_topology_aware_preemption: 'true'\n";

    @TempDir
    private Path directory;

    private final LinkedBlockingQueue<PlannerSettings> changes = new LinkedBlockingQueue<>();

    private ConfigWatch watch;

    private void watch(Path file) {
        watch = ConfigWatch.start(file, CoordinatorConfig.read(file), changes::add);
    }

    @AfterEach
    void stop() {
        watch.close();
    }

    private PlannerSettings next() throws InterruptedException {
        return changes.poll(30, TimeUnit.SECONDS);
    }

    /** F2. */
    @Test
    void theSwitchesTakeEffectAndABrokenFileChangesNothing() throws Exception {
        Path file = Files.writeString(directory.resolve("c.yaml"), OFF);
        watch(file);
        replace(file, ON);
        assertTrue(next().topologyAware());
        replace(file, "broken: [");
        replace(file, ON + "no_such_key: 1\n");
        replace(file, OFF + "enable_preemption: false\ncore_step: 1\n");
        PlannerSettings last = next();
        assertEquals(false, last.preemption());
        assertEquals(false, last.topologyAware());
        assertEquals(5, last.coreStep(), "not one of the two switches");
        assertTrue(changes.isEmpty());
    }

    private void replace(Path file, String text) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** A mounted ConfigMap: the file is a link into a directory that is itself a link. */
    @Test
    void anExchangedConfigMapIsNoticed() throws Exception {
        version("v1", OFF);
        version("v2", ON);
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("v1"));
        Path file =
                Files.createSymbolicLink(directory.resolve("c.yaml"), Path.of("..data", "c.yaml"));
        watch(file);
        Path link = Files.createSymbolicLink(directory.resolve("..tmp"), Path.of("v2"));
        Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        assertTrue(next().topologyAware());
    }

    private void version(String name, String text) throws IOException {
        Files.createDirectory(directory.resolve(name));
        Files.writeString(directory.resolve(name).resolve("c.yaml"), text);
    }
}
