package dev.cede.nvml.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The cards of a simulated machine: a folder that the simulated driver reads at every call, so a
 * change counts at once, for every process that uses the folder. Files are replaced as a whole.
 */
public final class SimulatedCards {
    private static final String LIBRARY = "libnvidia-ml.so.1";

    private static final String CARD_FILES = "{card*.conf,card*.slots,driver.conf}";

    private final Path folder;

    private SimulatedCards(Path folder) {
        this.folder = folder;
    }

    /** The cards in a folder, which is made if it is missing. */
    public static SimulatedCards in(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make the folder of simulated cards", e);
        }
        return new SimulatedCards(folder.toAbsolutePath());
    }

    public Path folder() {
        return folder;
    }

    /** What a process needs in its environment to use these cards. */
    public Map<String, String> environment() {
        return Map.of("NVML_SIM_DIR", folder.toString());
    }

    /**
     * A driver library of this machine's own: several machines can be read in one process, each
     * through its own. NVML_SIM_DIR, where set, goes before the folder that the library lies in.
     */
    public synchronized Path library() {
        Path library = folder.resolve(LIBRARY);
        Path build = NativeBinaries.nvmlSim();
        try {
            boolean current = Files.exists(library) && Files.mismatch(build, library) < 0;
            return current ? library : installLibrary(build);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the simulated driver", e);
        }
    }

    /** The same with another build of the simulated driver. */
    public synchronized Path installLibrary(Path build) {
        Path library = folder.resolve(LIBRARY);
        Path draft = folder.resolve("." + LIBRARY);
        try {
            Files.copy(build, draft, StandardCopyOption.REPLACE_EXISTING);
            return Files.move(draft, library, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot install the simulated driver", e);
        }
    }

    /** Removes all cards, and what is noted of who uses them; nobody may use one now. */
    public synchronized void clear() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, CARD_FILES)) {
            for (Path file : files) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove simulated cards", e);
        }
    }

    /** Adds a card after the last and returns it. Its UUID follows from folder, index and size. */
    public synchronized SimulatedCard add(long totalMib, long reservedMib) {
        int index = count();
        String seed = folder + "/" + index + "/" + totalMib + "/" + reservedMib;
        String uuid = "GPU-" + UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8));
        SimulatedCard card = SimulatedCard.of(index, uuid, totalMib).withReservedMib(reservedMib);
        put(index, card);
        return card;
    }

    /** Writes the card at this index, in place of the one that was there. */
    public synchronized void put(int index, SimulatedCard card) {
        replace("card" + index + ".conf", CardFile.write(card));
    }

    /** Changes a card; not atomic against other processes that change it. */
    public synchronized void edit(int index, UnaryOperator<SimulatedCard> change) {
        put(index, change.apply(card(index)));
    }

    public SimulatedCard card(int index) {
        try {
            return CardFile.read(index, Files.readString(file(index)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read simulated card " + index, e);
        }
    }

    /** How many cards there are, with indexes from 0. */
    public int count() {
        return (int)
                IntStream.iterate(0, i -> Files.exists(file(i)), i -> i + 1).count();
    }

    public List<SimulatedCard> cards() {
        return IntStream.range(0, count()).mapToObj(this::card).toList();
    }

    /** What the driver as a whole says: its version, and which of its calls fail. */
    public synchronized void driver(String version, List<Fault> faults) {
        replace("driver.conf", "version=" + version + "\n" + CardFile.faultLines(faults));
    }

    private Path file(int index) {
        return folder.resolve("card" + index + ".conf");
    }

    private void replace(String name, String text) {
        Path draft = folder.resolve("." + name);
        try {
            Files.writeString(draft, text);
            Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + name, e);
        }
    }
}
