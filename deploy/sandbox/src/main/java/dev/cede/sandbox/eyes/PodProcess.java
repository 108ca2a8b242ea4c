package dev.cede.sandbox.eyes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process in a pod's cgroup.
 *
 * @param entry in the process table, such as /proc/4711
 */
public record PodProcess(Path entry, String podUid) {
    /** A pod's UID in a cgroup's name; systemd's form has underscores. */
    private static final Pattern UID = Pattern.compile(
            "pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})");

    static Optional<PodProcess> of(Path entry) {
        Matcher uid = UID.matcher(text(entry, "cgroup"));
        return uid.find()
                ? Optional.of(new PodProcess(entry, uid.group(1).replace('_', '-')))
                : Optional.empty();
    }

    public long pid() {
        return Long.parseLong(entry.getFileName().toString());
    }

    /**
     * A zombie that waits to be reaped is dead: it holds no memory. So is one whose PID is
     * another's by now.
     */
    public boolean lives() {
        String stat = text(entry, "stat");
        int state = stat.lastIndexOf(')') + 2;
        return state < stat.length()
                && "ZX".indexOf(stat.charAt(state)) < 0
                && of(entry).filter(this::equals).isPresent();
    }

    private static String text(Path entry, String file) {
        try {
            return Files.readString(entry.resolve(file));
        } catch (IOException e) {
            return ""; // its process is gone
        }
    }
}
