package dev.cede.tls;

import dev.cede.config.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads small files again and again, and hands on what changed. Their contents are compared, not
 * their times: a mounted Secret is exchanged by a link. What cannot be used changes nothing.
 */
final class FollowedFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedFiles.class);

    static final Duration PERIOD = Duration.ofSeconds(1);

    /** Takes the contents of all files, in their order. */
    interface Use {
        /** Throws {@link Unusable} before anything was changed. */
        void take(List<byte[]> contents) throws Unusable;
    }

    /** A file does not hold what it should. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        Unusable(ConfiguredFile file, Throwable cause) {
            this(file, cause instanceof IOException ? cause.toString() : cause.getMessage());
        }

        Unusable(ConfiguredFile file, String why) {
            super(file.option() + " is " + file.path() + "; it takes " + file.accepts()
                    + ", and this one cannot be used: " + why);
        }
    }

    private final List<ConfiguredFile> files;
    private final Use use;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread named = new Thread(task, "cede-tls-files");
                named.setDaemon(true);
                return named;
            });
    private List<byte[]> taken = List.of();
    private String lastProblem = "";

    private FollowedFiles(List<ConfiguredFile> files, Use use) {
        this.files = List.copyOf(files);
        this.use = use;
    }

    /** Throws {@link SettingsException} where they cannot be used now. */
    static FollowedFiles start(List<ConfiguredFile> files, Use use) {
        FollowedFiles followed = new FollowedFiles(files, use);
        try {
            followed.look();
        } catch (Unusable e) {
            followed.close();
            throw new SettingsException(e.getMessage());
        }
        var unused = followed.thread.scheduleWithFixedDelay(
                followed::lookAgain, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return followed;
    }

    private void lookAgain() {
        try {
            if (look()) {
                LOG.info("event=tls_files_changed files={}", paths());
            }
            lastProblem = "";
        } catch (Unusable e) {
            if (!lastProblem.equals(e.getMessage())) {
                lastProblem = e.getMessage();
                LOG.warn("event=tls_files_refused kept=previous reason=\"{}\"", lastProblem);
            }
        }
    }

    private String paths() {
        return String.join(
                ",", files.stream().map(file -> file.path().toString()).toList());
    }

    /** Whether something was new. */
    private boolean look() throws Unusable {
        List<byte[]> now = new ArrayList<>();
        for (ConfiguredFile file : files) {
            now.add(read(file));
        }
        if (same(now, taken)) {
            return false;
        }
        use.take(now);
        taken = now;
        return true;
    }

    private static byte[] read(ConfiguredFile file) throws Unusable {
        try {
            return Files.readAllBytes(file.path());
        } catch (IOException e) {
            throw new Unusable(file, e);
        }
    }

    private static boolean same(List<byte[]> one, List<byte[]> other) {
        return Arrays.deepEquals(one.toArray(), other.toArray());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
