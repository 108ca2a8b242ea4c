package dev.cede.agent.host;

import dev.cede.agent.core.NodeEffect.Limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The directories that containers find their limits in. */
public final class LimitFiles {
    private static final String FILE = "limits";

    private final Path root;

    public LimitFiles(Path stateDirectory) {
        this.root = stateDirectory.resolve("limits");
    }

    public Path directory(String name) {
        return root.resolve(name);
    }

    public void make(String name) throws IOException {
        Files.createDirectories(directory(name));
    }

    /** A container may be reading: it sees the old file or the new one, whole. */
    public void write(String name, Limits limits) throws IOException {
        make(name);
        Path draft = directory(name).resolve("." + FILE);
        Files.writeString(draft, limits.text());
        Files.move(draft, directory(name).resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    public void forget(String name) throws IOException {
        Files.deleteIfExists(directory(name).resolve("." + FILE));
        Files.deleteIfExists(directory(name).resolve(FILE));
        Files.deleteIfExists(directory(name));
    }
}
