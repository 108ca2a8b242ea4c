package dev.cede.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainIT {
    @TempDir
    private Path directory;

    private int run(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("c.yaml"), yaml);
        String[] args = {"--config", file.toString()};
        return Main.run(args, config -> {
            throw new AssertionError("it must not start");
        });
    }

    /** F2. */
    @Test
    void aConfigurationThatCannotBeUsedEndsTheProcessWithTwo() throws IOException {
        assertEquals(2, run("zookeeper: zk:2181\ninsecure: true\nno_such_key: 1\n"));
        assertEquals(2, run("broken: ["));
        assertEquals(2, run("zookeeper: zk:2181\ninsecure: true\nlisten: 0.0.0.0:7070\n"));
        assertEquals(2, Main.run(new String[0], config -> null));
        String[] missing = {"--config", directory.resolve("none").toString()};
        assertEquals(2, Main.run(missing, config -> null));
    }
}
