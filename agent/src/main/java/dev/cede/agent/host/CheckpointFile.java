package dev.cede.agent.host;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;

import dev.cede.agent.core.Checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The agent's checkpoint on disk: a line with version and checksum, then JSON. Replaced as a whole;
 * once {@link #save} has returned, it survives the machine's end.
 */
public final class CheckpointFile {
    private static final String FILE = "checkpoint";
    private static final String HEADER = "cede-agent-checkpoint 2 ";
    private static final Gson JSON =
            new GsonBuilder().enableComplexMapKeySerialization().create();

    private final Path directory;

    public CheckpointFile(Path directory) {
        this.directory = directory;
    }

    /** What is on disk. */
    public sealed interface Loaded {
        /** There is none: the agent was never here. */
        record Missing() implements Loaded {}

        /** There is one, and it must not be trusted. */
        record Damaged(String reason) implements Loaded {}

        record Found(Checkpoint checkpoint) implements Loaded {}
    }

    public Loaded load() throws IOException {
        try {
            return parse(Files.readString(directory.resolve(FILE)));
        } catch (NoSuchFileException e) {
            return new Loaded.Missing();
        } catch (java.nio.charset.CharacterCodingException e) {
            return new Loaded.Damaged("it is not text");
        }
    }

    private static Loaded parse(String text) {
        int end = text.indexOf('\n');
        if (end < 0 || !text.startsWith(HEADER)) {
            return new Loaded.Damaged("it does not begin with \"" + HEADER.strip() + "\"");
        }
        String json = text.substring(end + 1);
        if (!text.substring(HEADER.length(), end).equals(checksum(json))) {
            return new Loaded.Damaged("its checksum does not match");
        }
        try {
            return new Loaded.Found(JSON.fromJson(json, Checkpoint.class));
        } catch (JsonParseException | NullPointerException e) {
            return new Loaded.Damaged("its content is not understood: " + e.getMessage());
        }
    }

    public void save(Checkpoint checkpoint) throws IOException {
        String json = JSON.toJson(checkpoint);
        byte[] bytes = (HEADER + checksum(json) + "\n" + json).getBytes(StandardCharsets.UTF_8);
        Path draft = directory.resolve("." + FILE);
        try (FileChannel file = FileChannel.open(
                draft,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                file.write(left);
            }
            file.force(true);
        }
        Files.move(draft, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    /** Keeps a damaged one aside for whoever wants to look at it. */
    public void setAside() throws IOException {
        Files.move(
                directory.resolve(FILE),
                directory.resolve(FILE + ".damaged"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private static String checksum(String json) {
        CRC32C sum = new CRC32C();
        sum.update(json.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }
}
