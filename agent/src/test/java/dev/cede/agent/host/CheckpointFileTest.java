package dev.cede.agent.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.cede.agent.core.Attribution;
import dev.cede.agent.core.Checkpoint;
import dev.cede.agent.core.Held;
import dev.cede.agent.host.CheckpointFile.Loaded;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.Given;
import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFileTest {
    private static final CardId CARD = new CardId("GPU-aaaaaaaa-0000");
    private static final PodRef POD = new PodRef("default", "p \"quoted\" ü", "uid-p");

    @TempDir
    Path folder;

    private CheckpointFile file;

    @BeforeEach
    void open() {
        file = new CheckpointFile(folder);
    }

    private static Checkpoint full() {
        Share share = new Share(POD, "main", CARD, new Amount(16, 50));
        TreeMap<String, String> prefixes = new TreeMap<>();
        prefixes.put(CARD.uuid(), "aaaaaaaa");
        TreeMap<CardId, Integer> counts = new TreeMap<>();
        counts.put(CARD, 2);
        return new Checkpoint(
                new Epoch(7),
                prefixes,
                List.of(new Reservation(
                        POD,
                        List.of(share),
                        new TreeSet<>(List.of(share.key())),
                        new Epoch(6),
                        "plan")),
                List.of(new BookedShare(share, ShareState.RELEASING)),
                List.of(new Held(POD, "main", List.of("aaaaaaaa-m0000"), List.of(), "")),
                List.of(new Given(
                        DeviceKind.MEMORY, List.of("aaaaaaaa-m0001"), counts, "uid-p", "main", 5)),
                List.of("uid-o"),
                new TreeMap<>(Map.of("uid-f", 7L)),
                List.of(new Attribution(7, 107, "uid-p")));
    }

    @Test
    void whatIsSavedIsLoaded() throws IOException {
        file.save(full());
        assertEquals(new Loaded.Found(full()), file.load());
        assertEquals(List.of("checkpoint"), List.of(folder.toFile().list()));
    }

    @Test
    void aNewAgentHasNone() throws IOException {
        assertInstanceOf(Loaded.Missing.class, file.load());
    }

    @Test
    void everyDamageIsNoticed() throws IOException {
        file.save(full());
        Path path = folder.resolve("checkpoint");
        byte[] good = Files.readAllBytes(path);
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(path, bad);
            assertInstanceOf(Loaded.Damaged.class, file.load(), "byte " + at);
        }
        for (int length : new int[] {0, 10, good.length / 2, good.length - 1}) {
            Files.write(path, java.util.Arrays.copyOf(good, length));
            assertInstanceOf(Loaded.Damaged.class, file.load(), "length " + length);
        }
    }

    @Test
    void anotherVersionIsNotGuessedAt() throws IOException {
        Files.writeString(folder.resolve("checkpoint"), "cede-agent-checkpoint 3 00000000\n{}");
        assertInstanceOf(Loaded.Damaged.class, file.load());
    }
}
