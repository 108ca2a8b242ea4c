package dev.cede.coordinator;

import dev.cede.config.SettingsException;
import dev.cede.coordinator.app.Coordinator;
import dev.cede.coordinator.config.CoordinatorConfig;
import dev.cede.coordinator.loop.CoordinatorCore;
import dev.cede.coordinator.loop.Core;
import dev.cede.coordinator.loop.LoopSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The coordinator's process: {@code --config FILE}. */
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    /** The configuration, or the command line, cannot be used. */
    static final int UNUSABLE = 2;

    /** Something failed that should not; a standby takes over. */
    static final int FAILED = 1;

    private Main() {}

    public static void main(String[] args) {
        int status = run(args, Main::core);
        if (status != 0) {
            System.exit(status);
        }
    }

    /** Runs until the process is told to end; returns at once, with its status, on an error. */
    static int run(String[] args, Function<CoordinatorConfig, Core> cores) {
        try {
            Path file = file(args);
            CoordinatorConfig config = CoordinatorConfig.read(file);
            config.ignored()
                    .forEach(key ->
                            LOG.warn("config_ignored key={} reason=\"no meaning here\"", key));
            start(new Coordinator.Parts(file, config, cores.apply(config), Main::crash));
            return 0;
        } catch (SettingsException e) {
            System.err.println("cede-coordinator: " + e.getMessage().replaceAll("\\s+", " "));
            return UNUSABLE;
        } catch (IOException e) {
            System.err.println("cede-coordinator: cannot listen: " + e.getMessage());
            return FAILED;
        }
    }

    private static Path file(String[] args) {
        if (args.length != 2 || !args[0].equals("--config")) {
            throw new SettingsException("expected --config FILE and nothing else");
        }
        return Path.of(args[1]);
    }

    private static void start(Coordinator.Parts parts) throws IOException {
        Coordinator coordinator = Coordinator.start(parts);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            LOG.info("stopping");
            coordinator.close();
        }));
    }

    private static void crash(Throwable bug) {
        LOG.error("bug", bug);
        // In a thread of its own: exit waits for the hook, which ends the thread that called us.
        Thread.ofPlatform().start(() -> System.exit(FAILED));
    }

    private static Core core(CoordinatorConfig config) {
        CoordinatorConfig.Times times = config.times();
        return new CoordinatorCore(new LoopSettings(
                config.schedulerNames(),
                config.planner(),
                config.workloadPolicy(),
                times.workloadSettle(),
                times.attachTimeout(),
                times.releaseTimeout(),
                times.nodeLost(),
                times.handOver(),
                times.backoffFirst(),
                times.backoffMost()));
    }
}
