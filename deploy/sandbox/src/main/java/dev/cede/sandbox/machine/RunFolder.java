package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All files of one run. Its path is short, because unix sockets below it have 107 bytes. */
final class RunFolder {
    private final Path root;

    private RunFolder(Path root) {
        this.root = root;
    }

    static RunFolder create() {
        try {
            return new RunFolder(Files.createTempDirectory("cede-"));
        } catch (IOException e) {
            throw new SandboxException("Cannot make a folder for the run: " + e.getMessage(), e);
        }
    }

    Path root() {
        return root;
    }

    Path file(String name) {
        return root.resolve(name);
    }

    Path folder(String name) {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a configuration file at once, so that no reader sees half of it. */
    Path writeConfig(String name, Map<String, String> keys) {
        String text = new TreeMap<>(keys)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + ": '" + entry.getValue().replace("'", "''")
                                + "'\n")
                        .collect(Collectors.joining());
        try {
            Path draft = Files.writeString(file("." + name), text);
            return Files.move(draft, file(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + name, e);
        }
    }

    void delete() {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // Something is left in the folder for temporary files; the run itself is not concerned.
            System.Logger log = System.getLogger(RunFolder.class.getName());
            log.log(System.Logger.Level.WARNING, "cannot delete " + root, e);
        }
    }
}
