package dev.cede.sandbox.installed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.cluster.HogPod;
import dev.cede.sandbox.cluster.HogPod.Ask;
import dev.cede.sandbox.cluster.PodWatch;
import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.eyes.LiveProcesses;
import dev.cede.sandbox.eyes.PodProcess;
import dev.cede.sandbox.kubernetes.Clients;
import dev.cede.sandbox.kubernetes.HogContainers;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How long it takes from a victim's exit until its winner runs; prints it, and asserts no time. */
@Tag("installed")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class PreemptionTimesClusterIT {
    /** How many preemptions. */
    private static final int ROUNDS = Integer.getInteger("cluster.preemptions", 10);

    private static final List<Ask> WHOLE_CARD = List.of(new Ask(64, 0));
    private static final long GRACE_SECONDS = 5;

    @RegisterExtension
    private final Installation cede = new Installation();

    private KubernetesClient client;
    private PodWatch pods;

    /** Moments of a preemption, on the clock of {@link System#nanoTime()}. */
    private record Preemption(long exited, long over, long bound, long running) {
        /** Of which Cede has no part: telling the end, and starting a pod. */
        private long kubelets() {
            return over - exited + running - bound;
        }
    }

    @BeforeEach
    void watch() {
        client = Clients.of(cede.cluster().kubeconfig());
        pods = PodWatch.open(client, Installation.NAMESPACE, told -> {});
        client.resource(HogPod.priorityClass("high", 1000)).create();
    }

    @AfterEach
    void close() {
        pods.close();
        client.close();
    }

    @Test
    void aWinnerRunsSoonAfterItsVictimHasEnded_E9() {
        Pod stays = pod("stays", "");
        stays.getMetadata().setAnnotations(Map.of("volcano.sh/preemptable", "false"));
        create(stays);
        awaitRunning("stays");
        List<Preemption> seen = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            seen.add(preempt("victim-" + i, "winner-" + i));
        }
        assertTrue(seen.stream().allMatch(each -> each.bound() >= each.over()), "bound after E9");
        tell(seen, "victim's exit to winner running", each -> each.running() - each.exited());
        tell(seen, "  of this kubelet's part", Preemption::kubelets);
        tell(seen, "  final phase to winner bound", each -> each.bound() - each.over());
    }

    private Preemption preempt(String victim, String winner) {
        create(pod(victim, ""));
        Told loses = awaitRunning(victim);
        PodProcess hog = Await.present(
                "gpu-hog of " + victim,
                () -> new LiveProcesses(List.of(Path.of("/proc")))
                        .byPod().getOrDefault(loses.uid(), List.of()).stream()
                                .filter(PreemptionTimesClusterIT::isHog)
                                .findFirst());
        create(pod(winner, "high"));
        Await.until("the exit of " + victim, () -> !hog.lives());
        long exited = System.nanoTime();
        Told over = pods.await(victim + " over", told -> told.name().equals(victim) && told.over());
        Told bound =
                pods.await(winner + " bound", told -> told.name().equals(winner) && told.bound());
        Told runs = awaitRunning(winner);
        client.pods().inNamespace(Installation.NAMESPACE).withName(winner).delete();
        pods.await(winner + " gone", told -> told.name().equals(winner) && told.deleted());
        return new Preemption(exited, over.nanos(), bound.nanos(), runs.nanos());
    }

    private Told awaitRunning(String name) {
        return pods.await(name + " running", told -> told.name().equals(name) && told.running());
    }

    private static boolean isHog(PodProcess process) {
        try {
            return Files.readString(process.entry().resolve("comm")).startsWith("gpu-hog");
        } catch (IOException e) {
            return false;
        }
    }

    private static Pod pod(String name, String priorityClass) {
        return new HogPod(name, priorityClass, GRACE_SECONDS, WHOLE_CARD, Map.of()).pod();
    }

    private void create(Pod pod) {
        client.resource(HogContainers.in(pod))
                .inNamespace(Installation.NAMESPACE)
                .create();
    }

    private static void tell(List<Preemption> seen, String what, ToLongFunction<Preemption> part) {
        long[] millis = seen.stream()
                .mapToLong(part)
                .map(TimeUnit.NANOSECONDS::toMillis)
                .sorted()
                .toArray();
        System.out.printf(
                "%-34s p50 %5d ms, p90 %5d ms, most %5d ms, of %d%n",
                what,
                millis[(millis.length - 1) / 2],
                millis[(millis.length - 1) * 9 / 10],
                millis[millis.length - 1],
                millis.length);
    }
}
