package dev.cede.nvml.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cede.nvml.CardInventory;
import dev.cede.nvml.GpuProcess;
import dev.cede.nvml.NvmlCardInventory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on simulated cards, seen through the driver's library. */
@Timeout(60)
final class GpuHogIT {
    private static final long MIB = 1L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Deque<GpuHog> hogs = new ArrayDeque<>();
    private SimulatedCards cards;
    private SimulatedCard card;
    private CardInventory inventory;

    @TempDir
    Path folder;

    @BeforeEach
    void oneCardOfAThousandMib() {
        cards = SimulatedCards.in(folder);
        card = cards.add(1000, 0);
        inventory = NvmlCardInventory.open(cards.library().toString());
    }

    @AfterEach
    void endAll() {
        hogs.forEach(GpuHog::close);
        inventory.close();
    }

    private GpuHog start(Map<String, String> environment) {
        GpuHog hog = GpuHog.start(cards, environment);
        hogs.add(hog);
        return hog;
    }

    private GpuHog holding(Map<String, String> environment) {
        GpuHog hog = start(environment);
        assertTrue(hog.awaitHolding(), hog.lastLine());
        return hog;
    }

    private GpuHog holding(long mib) {
        return holding(mib(mib));
    }

    private static Map<String, String> mib(long mib) {
        return Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", Long.toString(mib));
    }

    private List<Integer> pids() {
        return inventory.processes(card.uuid()).stream().map(GpuProcess::pid).toList();
    }

    private long usedMib() {
        return inventory.read().cards().get(0).usedBytes() / MIB;
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "not within " + PATIENCE);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static void exits(int code, GpuHog hog) throws InterruptedException {
        assertEquals(OptionalInt.of(code), hog.awaitExit(PATIENCE));
    }

    @Test
    void aHogIsListedWithWhatItHoldsBesidesGhosts() {
        cards.edit(0, c -> c.withGhost(Ghost.of(4242, 100)));
        GpuHog hog = holding(300);
        List<GpuProcess> processes = inventory.processes(card.uuid());
        assertEquals(2, processes.size());
        GpuProcess seen =
                processes.stream().filter(p -> p.pid() == hog.pid()).findFirst().get();
        assertEquals(300 * MIB, seen.usedBytes().getAsLong());
        assertEquals(400, usedMib());
    }

    @Test
    void aKilledHogIsGoneWithoutAnybodysHelp() throws InterruptedException {
        GpuHog killed = holding(300);
        GpuHog other = holding(200);
        killed.kill();
        killed.awaitExit(PATIENCE);
        assertEquals(List.of(other.pid()), pids());
        assertEquals(200, usedMib());
        holding(800);
    }

    @Test
    void clearedCardsAreGoneWithWhatLingeredOnThem() throws InterruptedException {
        cards.edit(0, c -> c.withLinger(Duration.ofHours(1)));
        GpuHog killed = holding(300);
        killed.kill();
        killed.awaitExit(PATIENCE);
        assertEquals(300, usedMib());
        cards.clear();
        assertEquals(0, cards.count());
        card = cards.add(1000, 0);
        assertEquals(0, usedMib());
        assertEquals(List.of(), pids());
    }

    @Test
    void aHogEndsAtOnceOnSigtermWithTheCodeItWasGiven() throws InterruptedException {
        GpuHog plain = holding(10);
        plain.terminate();
        exits(0, plain);
        GpuHog coded = holding(
                Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", "10", "GPU_HOG_TERM_EXIT_CODE", "143"));
        coded.terminate();
        exits(143, coded);
        assertEquals(List.of(), pids());
    }

    @Test
    void aClingingHogHoldsOnAfterSigterm() throws InterruptedException {
        GpuHog hog = holding(
                Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", "10", "GPU_HOG_CLING_SECONDS", "3600"));
        hog.terminate();
        hog.terminate();
        assertEquals(OptionalInt.empty(), hog.awaitExit(Duration.ofMillis(300)));
        assertEquals(List.of(hog.pid()), pids());
    }

    @Test
    void aClingingHogEndsWhenItsTimeIsOver() throws InterruptedException {
        GpuHog hog = holding(
                Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", "10", "GPU_HOG_CLING_SECONDS", "0.4"));
        long asked = System.nanoTime();
        hog.terminate();
        exits(0, hog);
        assertTrue(System.nanoTime() - asked >= Duration.ofMillis(400).toNanos());
    }

    @Test
    void aHogEndsByItselfWithTheCodeItWasGiven() throws InterruptedException {
        GpuHog hog = holding(Map.of(
                "GPU_HOG_CARDS", "0",
                "GPU_HOG_MIB", "10",
                "GPU_HOG_EXIT_AFTER_SECONDS", "0.1",
                "GPU_HOG_EXIT_CODE", "7"));
        exits(7, hog);
        assertEquals(List.of(), pids());
    }

    @Test
    void aChildOutlivesItsKilledParentAndIgnoresSigterm() throws InterruptedException {
        GpuHog hog = holding(Map.of(
                "GPU_HOG_CARDS", "0",
                "GPU_HOG_MIB", "600",
                "GPU_HOG_CHILD_MIB", "100",
                "GPU_HOG_CHILD_OUTLIVES_SECONDS", "3600"));
        int child = hog.childPid().orElseThrow();
        assertEquals(2, pids().size());
        assertEquals(600, usedMib());
        hog.kill();
        hog.awaitExit(PATIENCE);
        ProcessHandle handle = ProcessHandle.of(child).orElseThrow();
        handle.destroy();
        assertThrows(TimeoutException.class, () -> handle.onExit().get(200, TimeUnit.MILLISECONDS));
        assertEquals(List.of(child), pids());
        assertEquals(100, usedMib());
        handle.destroyForcibly();
        await(() -> pids().isEmpty());
    }

    @Test
    void aChildEndsSoLongAfterItsParent() {
        GpuHog hog = holding(Map.of(
                "GPU_HOG_CARDS",
                "0",
                "GPU_HOG_MIB",
                "10",
                "GPU_HOG_CHILD_OUTLIVES_SECONDS",
                "0.3"));
        hog.terminate();
        await(() -> pids().isEmpty());
        assertEquals(0, usedMib());
    }

    @Test
    void aDeadProcessLingersInTheListWithItsPidAndMemory() throws InterruptedException {
        cards.edit(0, c -> c.withLinger(Duration.ofHours(1)));
        GpuHog hog = holding(900);
        hog.kill();
        hog.awaitExit(PATIENCE);
        assertEquals(List.of(hog.pid()), pids());
        assertEquals(900, usedMib());
        GpuHog tooEarly = start(mib(200));
        assertFalse(tooEarly.awaitHolding());
        exits(2, tooEarly);
        cards.edit(0, c -> c.withLinger(Duration.ZERO));
        assertEquals(List.of(), pids());
        holding(200);
    }

    @Test
    void aLingeringEntryGoesWhenItsTimeIsOverAndNotBefore() throws InterruptedException {
        cards.edit(0, c -> c.withLinger(Duration.ofMillis(500)));
        GpuHog hog = holding(900);
        assertEquals(List.of(hog.pid()), pids());
        hog.kill();
        hog.awaitExit(PATIENCE);
        long dead = System.nanoTime();
        await(() -> pids().isEmpty());
        assertTrue(System.nanoTime() - dead >= Duration.ofMillis(490).toNanos());
    }

    @Test
    void aCardWithoutRoomKillsTheHogWithOutOfMemory() throws InterruptedException {
        cards.edit(0, c -> c.withReservedMib(100).withGhost(Ghost.of(4242, 100)));
        GpuHog tooMuch = start(mib(801));
        assertFalse(tooMuch.awaitHolding());
        assertEquals(
                "CUDA_ERROR_OUT_OF_MEMORY: card " + card.uuid()
                        + ": asked for 801 MiB; total 1000, reserved 100, used 100 MiB",
                tooMuch.lastLine());
        exits(2, tooMuch);
        holding(800);
    }

    /** All four have to queue at the table before one of them may look; without that, chance. */
    @Test
    void ofManyHogsAtOnceOnlyAsManyHoldAsFit() throws Exception {
        assertEquals(List.of(), pids()); // makes the table
        Path table = folder.resolve("card0.slots");
        Process locker =
                new ProcessBuilder("flock", table.toString(), "sh", "-c", "echo; cat").start();
        try {
            locker.inputReader().readLine();
            List<GpuHog> racing =
                    List.of(start(mib(400)), start(mib(400)), start(mib(400)), start(mib(400)));
            await(() -> racing.stream().allMatch(GpuHogIT::waitsForALock));
            locker.getOutputStream().close();
            assertEquals(2, racing.stream().filter(GpuHog::awaitHolding).count());
            assertEquals(800, usedMib());
            assertEquals(2, pids().size());
        } finally {
            locker.destroyForcibly().waitFor();
        }
    }

    private static boolean waitsForALock(GpuHog hog) {
        Pattern waiting = Pattern.compile("-> FLOCK +ADVISORY +WRITE +" + hog.pid() + " ");
        try {
            return waiting.matcher(Files.readString(Path.of("/proc/locks"))).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aHogTakesTheCardsOfTheDevicePluginAndTheLimitFile() throws IOException {
        SimulatedCard second = cards.add(2000, 0);
        Path limit = Files.writeString(folder.resolve("limit"), "core=50\nmemory_mib=256\n");
        holding(Map.of(
                "NVIDIA_VISIBLE_DEVICES",
                second.uuid() + "," + card.uuid(),
                "GPU_HOG_LIMIT_FILE",
                limit.toString()));
        assertEquals(
                List.of(256 * MIB, 256 * MIB),
                inventory.read().cards().stream().map(c -> c.usedBytes()).toList());
    }

    @Test
    void aHogFilesItselfAndItsChildBeforeItUsesACard(@TempDir Path proc) throws Exception {
        Map<String, String> filing =
                Map.of("SIM_PROC_ROOT", proc.toString(), "SIM_CGROUP", "4:memory:/a\\n0::/b");
        GpuHog hog = holding(with(
                filing,
                Map.of(
                        "GPU_HOG_CARDS",
                        "0",
                        "GPU_HOG_MIB",
                        "10",
                        "GPU_HOG_CHILD_OUTLIVES_SECONDS",
                        "0")));
        for (int pid : List.of(hog.pid(), hog.childPid().orElseThrow())) {
            Path entry = proc.resolve(Integer.toString(pid));
            assertEquals("4:memory:/a\n0::/b\n", Files.readString(entry.resolve("cgroup")));
            assertTrue(Files.readString(entry.resolve("stat")).startsWith(pid + " (gpu-hog)"));
        }
        hog.close();
        Path stat = proc.resolve(hog.pid() + "/stat");
        assertFalse(Files.exists(stat));
        assertTrue(Files.exists(stat, LinkOption.NOFOLLOW_LINKS));

        GpuHog refused = start(with(filing, mib(5000)));
        exits(2, refused);
        assertTrue(Files.exists(proc.resolve(refused.pid() + "/cgroup")), "filed, then refused");
    }

    @Test
    void aHogOfNothingNeedsNoCardAndLives() throws InterruptedException {
        GpuHog hog = start(Map.of("GPU_HOG_MIB", "0", "GPU_HOG_TERM_EXIT_CODE", "7"));
        assertTrue(hog.awaitHolding());
        hog.terminate();
        exits(7, hog);
    }

    private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(some);
        all.putAll(more);
        return all;
    }

    @Test
    void badArgumentsAreOneSentenceEach() throws InterruptedException {
        Map<String, Map<String, String>> cases = Map.of(
                "gpu-hog: --mib is '-1', not a whole number from 0 to 4294967295",
                Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", "-1"),
                "gpu-hog: no card 'GPU-x' in " + folder,
                Map.of("GPU_HOG_CARDS", "GPU-x", "GPU_HOG_MIB", "1"),
                "gpu-hog: how many MiB? Give --mib, GPU_HOG_MIB or GPU_HOG_LIMIT_FILE",
                Map.of("GPU_HOG_CARDS", "0"),
                "gpu-hog: --cling-seconds is 'long', not a number of seconds from 0",
                Map.of("GPU_HOG_CARDS", "0", "GPU_HOG_MIB", "1", "GPU_HOG_CLING_SECONDS", "long"));
        for (Map.Entry<String, Map<String, String>> each : cases.entrySet()) {
            GpuHog hog = start(each.getValue());
            assertFalse(hog.awaitHolding());
            assertEquals(each.getKey(), hog.lastLine());
            exits(64, hog);
        }
    }

    /** The PID is that of the reader's namespace, as a real driver shows it to the node's agent. */
    @Test
    void aHogInAPidNamespaceOfItsOwnIsListedUnderThePidSeenFromHere() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "unshare",
                "--pid",
                "--fork",
                "--kill-child",
                NativeBinaries.gpuHog().toString());
        builder.environment().putAll(cards.environment());
        builder.environment().putAll(mib(10));
        Process unshare = builder.redirectErrorStream(true).start();
        try {
            String line = unshare.inputReader().readLine();
            assumeTrue(line != null && line.contains(" holds "), "no PID namespaces here: " + line);
            assertTrue(line.contains("pid=1 "), line);
            ProcessHandle hog = unshare.children().findFirst().orElseThrow();
            assertEquals(List.of((int) hog.pid()), pids());
            hog.destroyForcibly();
            await(() -> pids().isEmpty());
        } finally {
            unshare.destroyForcibly().waitFor();
        }
    }

    @Test
    void aHogThatDoesNotFitIsNotHandedOutAsHolding() {
        assertThrows(IllegalStateException.class, () -> GpuHog.holding(cards, 0, 1001));
    }
}
