package dev.cede.sandbox.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.nvml.NvmlCardInventory;
import dev.cede.sandbox.cluster.HogPod.Ask;
import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.eyes.LiveProcesses;
import dev.cede.sandbox.eyes.PodProcess;
import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.GpuNode;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * E9 on a real kubelet, which keeps a pod's devices until its final phase is written or its object
 * is gone, with processes that end in every way. Whether a winner came too early is told by three
 * that Cede does not ask: the API server's order of writes, the process table, and the driver, which
 * are looked at when the winner is first seen bound.
 */
@Tag("cluster")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReleaseClusterIT {
    /** All of the card. */
    private static final int UNITS = 64;

    private static final CardSet CARDS = new CardSet(1, UNITS * 128, 0);
    private static final String IMPORTANT = "important";
    private static final int CLING_SECONDS = 20;
    private static final Duration LINGER = Duration.ofSeconds(5);

    /** What gpu-hog ends with where it does not get its memory. */
    private static final int OUT_OF_MEMORY = 2;

    @RegisterExtension
    private final FreshSandbox sandbox = new FreshSandbox(ChosenNodes.one(), CARDS);

    private final LiveProcesses processes = new LiveProcesses(List.of(Path.of("/proc")));
    private GpuNode node;
    private Eye eye;

    @BeforeEach
    void start() {
        node = sandbox.kubernetes().nodes().getFirst();
        sandbox.create(HogPod.priorityClass(IMPORTANT, 1000));
        eye = new Eye();
    }

    @AfterEach
    void close() {
        eye.close();
    }

    /** What there is of the victim at a moment. */
    private record Remains(List<PodProcess> processes, int inDriver) {}

    /** Looks at once, in the order in which the API server tells. */
    private final class Eye implements AutoCloseable {
        private final NvmlCardInventory driver =
                NvmlCardInventory.open(node.cards().library().toString());
        private final PodWatch pods = PodWatch.open(sandbox.kubernetes(), this::look);
        private Remains atFinal;
        private Remains atBinding;

        private synchronized void look(Told told) {
            if (isVictim(told) && told.over() && atFinal == null) {
                atFinal = remains(told.uid());
            }
            if (isWinner(told) && told.bound() && atBinding == null) {
                atBinding = remains(
                        pods.first(ReleaseClusterIT::isVictim).orElseThrow().uid());
            }
        }

        private Remains remains(String uid) {
            return new Remains(processes.byPod().getOrDefault(uid, List.of()), holders());
        }

        /** How many processes the driver shows on the only card. */
        int holders() {
            return driver.processes(node.cards().card(0).uuid()).size();
        }

        synchronized Remains atFinal() {
            return atFinal;
        }

        synchronized Remains atBinding() {
            return atBinding;
        }

        @Override
        public void close() {
            pods.close();
            driver.close();
        }
    }

    private static boolean isVictim(Told told) {
        return told.name().equals("victim");
    }

    private static boolean isWinner(Told told) {
        return told.name().equals("winner");
    }

    /**
     * A victim with the whole card, which behaves so, and one that wants the card of it. Kubelet may
     * meet the victim's end before it hears of its deletion, and is not to start it again then.
     */
    private void evict(Map<String, String> behaviour) {
        Pod victim = new HogPod("victim", "", 30, List.of(new Ask(UNITS, 0)), behaviour).pod();
        victim.getSpec().setRestartPolicy("Never");
        sandbox.create(victim);
        eye.pods.await("the victim runs", told -> isVictim(told) && told.running());
        Await.until("the victim holds its memory", () -> eye.holders() == 1);
        sandbox.create(new HogPod("winner", IMPORTANT, 5, List.of(new Ask(UNITS, 50)), Map.of()));
        eye.pods.await("the eviction begins", told -> isVictim(told) && told.leaving());
    }

    private List<PodProcess> victims() {
        String uid = eye.pods.first(ReleaseClusterIT::isVictim).orElseThrow().uid();
        return processes.byPod().getOrDefault(uid, List.of());
    }

    private void killVictim() {
        victims()
                .forEach(process ->
                        ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly));
    }

    private void assertTheWinnerCameWhenAllWasFree() {
        eye.pods.await("the winner runs", told -> isWinner(told) && told.running());
        Told over = eye.pods.first(told -> isVictim(told) && told.over()).orElseThrow();
        Told bound = eye.pods.first(told -> isWinner(told) && told.bound()).orElseThrow();
        assertTrue(over.version() < bound.version(), "kubelet still had the victim's devices");
        assertEquals(List.of(), eye.atBinding().processes(), "processes of the victim lived");
        assertEquals(0, eye.atBinding().inDriver(), "the driver showed the victim");
        Await.until("the winner holds its memory", () -> eye.holders() == 1);
        assertFalse(eye.pods.all().stream().anyMatch(Told::rejected), "kubelet rejected a pod");
        assertFalse(
                eye.pods.all().stream().anyMatch(told -> told.exitedWith(OUT_OF_MEMORY)),
                "there was no memory for a process that was to have it");
    }

    private Duration fromLeavingToBinding() {
        Told leaving = eye.pods.first(told -> isVictim(told) && told.leaving()).orElseThrow();
        Told bound = eye.pods.first(told -> isWinner(told) && told.bound()).orElseThrow();
        return Duration.ofNanos(bound.nanos() - leaving.nanos());
    }

    @Test
    void aVictimThatIsKilledWhenItsEvictionBegins() {
        evict(Map.of("GPU_HOG_CLING_SECONDS", String.valueOf(CLING_SECONDS)));
        killVictim();
        assertTheWinnerCameWhenAllWasFree();
        assertTrue(fromLeavingToBinding().toSeconds() < CLING_SECONDS, "it was not killed");
    }

    @Test
    void aVictimThatIsKilledWhileKubeletWaitsForItsEnd() {
        evict(Map.of("GPU_HOG_CLING_SECONDS", String.valueOf(CLING_SECONDS)));
        Await.until("kubelet asks it to end", this::kubeletStopsTheVictim);
        killVictim();
        assertTheWinnerCameWhenAllWasFree();
        assertTrue(fromLeavingToBinding().toSeconds() < CLING_SECONDS, "it was not killed");
    }

    private boolean kubeletStopsTheVictim() {
        return sandbox
                .kubernetes()
                .client()
                .v1()
                .events()
                .inNamespace(sandbox.kubernetes().namespace())
                .list()
                .getItems()
                .stream()
                .anyMatch(event -> "Killing".equals(event.getReason())
                        && "victim".equals(event.getInvolvedObject().getName()));
    }

    @Test
    void aVictimThatClingsToItsMemoryAfterItWasAskedToEnd() {
        evict(Map.of("GPU_HOG_CLING_SECONDS", String.valueOf(CLING_SECONDS)));
        assertTheWinnerCameWhenAllWasFree();
        assertTrue(fromLeavingToBinding().toSeconds() >= CLING_SECONDS - 1, "it did not cling");
    }

    /** Then kubelet's half is fulfilled at once, and only the driver's protects. */
    @Test
    void aVictimWhoseObjectIsGoneBeforeItsProcess() {
        evict(Map.of("GPU_HOG_CLING_SECONDS", String.valueOf(CLING_SECONDS)));
        sandbox.pod("victim").withGracePeriod(0).delete();
        assertTheWinnerCameWhenAllWasFree();
        assertFalse(eye.atFinal().processes().isEmpty(), "its process was gone before its object");
    }

    @Test
    void aVictimThatTheDriverShowsAfterItsDeath() {
        node.cards().edit(0, card -> card.withLinger(LINGER));
        evict(Map.of());
        assertTheWinnerCameWhenAllWasFree();
        assertEquals(1, eye.atFinal().inDriver(), "the driver did not show it any more");
        assertTrue(fromLeavingToBinding().compareTo(LINGER) >= 0, "it did not linger");
    }
}
