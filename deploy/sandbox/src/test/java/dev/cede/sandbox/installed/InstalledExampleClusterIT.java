package dev.cede.sandbox.installed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.installed.Installation.Seen;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The documented example by kubectl, on the installed system and two nodes. */
@Tag("installed")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class InstalledExampleClusterIT {
    @RegisterExtension
    private final Installation cede = new Installation();

    private long phaseBegan;

    @Test
    void whoWaitsForTheSwitchStartsWhenTheConfigMapIsEdited_V01_D5_F2() {
        phaseBegan = System.nanoTime();
        cede.apply("10-low.yaml", "low", 2);
        cede.awaitRunning("low", 2);
        tell("low runs on both nodes");

        cede.apply("20-high.yaml", "high", 1);
        Seen waiting = Await.present(
                "high says that the switch would help",
                () -> theHigh()
                        .filter(pod -> pod.reason().contains("enable_topology_aware_preemption")));
        assertTrue(waiting.reason().contains("other isolation type on c0"), waiting::reason);
        tell("high waits: " + waiting.reason());
        assertEquals(2, cede.running("low"), "nobody was evicted");

        List<String> before = cede.pods("low").stream().map(Seen::uid).toList();
        cede.turn(true);
        tell("the ConfigMap is edited");
        Seen running = Await.present("high runs", () -> theHigh().filter(Seen::isRunning));
        tell("high runs");
        assertEquals(waiting.uid(), running.uid(), "the same pod");

        Await.until("one low is Pending", () -> pendingLow().size() == 1);
        assertEquals(1, cede.running("low"), "one victim");
        assertTrue(
                pendingLow().stream().map(Seen::uid).noneMatch(before::contains),
                "the victim's replacement waits");

        cede.kubectl()
                .run("-n", Installation.NAMESPACE, "delete", "deployment/high", "--timeout=1m");
        cede.awaitRunning("low", 2);
        tell("high is deleted, low runs on both nodes again");
    }

    private Optional<Seen> theHigh() {
        List<Seen> pods = cede.pods("high");
        assertTrue(pods.size() <= 1, () -> "made again: " + pods);
        return pods.stream().findFirst();
    }

    private List<Seen> pendingLow() {
        return cede.pods("low").stream()
                .filter(pod -> pod.phase().equals("Pending"))
                .toList();
    }

    private void tell(String phase) {
        long now = System.nanoTime();
        System.out.printf("%6.1f s  %s%n", (now - phaseBegan) / 1e9, phase);
        phaseBegan = now;
    }
}
