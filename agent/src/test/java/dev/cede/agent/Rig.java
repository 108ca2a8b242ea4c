package dev.cede.agent;

import dev.cede.agent.link.LinkSecurity;
import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Resources;
import dev.cede.model.Share;
import dev.cede.nvml.NvmlCardInventory;
import dev.cede.nvml.sim.SimulatedCards;
import dev.cede.testbed.kubelet.Kubelet;
import dev.cede.testbed.kubelet.api.InMemoryNodeApi;
import dev.cede.testbed.kubelet.core.PickMode;
import dev.cede.testbed.kubelet.core.Timing;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A node of real parts: agent, kubelet stand-in, simulated driver, and a coordinator as told. */
final class Rig implements AutoCloseable {
    static final String NODE = "n0";
    static final Duration LIMIT = TinyCoordinator.LIMIT;

    final Path root;
    final SimulatedCards cards;
    final InMemoryNodeApi api = new InMemoryNodeApi();
    final TinyCoordinator coordinator = new TinyCoordinator();
    final Kubelet kubelet;
    Agent agent;

    Rig() throws IOException {
        this.root = Files.createTempDirectory("ag");
        this.cards = SimulatedCards.in(root.resolve("cards"));
        cards.add(8192, 0);
        cards.add(8192, 0);
        this.kubelet = Kubelet.builder(NODE, api)
                .under(root)
                .environment(cards.environment())
                .settings(now -> now.withTiming(Timing.brisk()).withPicks(PickMode.WORST))
                .start();
        this.agent = Agent.start(config());
    }

    AgentConfig config() {
        return new AgentConfig(
                NODE,
                List.of(coordinator.address()),
                new LinkSecurity.PlainText(),
                root.resolve("state"),
                root.resolve("device-plugins"),
                root.resolve("pod-resources").resolve("kubelet.sock"),
                root.resolve("proc"),
                root.resolve("dev"),
                cards.library().toString(),
                "127.0.0.1:0",
                20,
                false,
                Duration.ofMillis(250),
                Duration.ofMillis(50));
    }

    NodeReport ready() {
        return coordinator.awaitReport("it takes binds", NodeReport::takesBinds);
    }

    Card card(int index) {
        return ready().cards().get(index);
    }

    /** Asks for room for the pod, as it must be before kubelet hears of it. */
    void reserve(Pod pod, List<Card> on, Amount each) {
        Reservation reservation = new Reservation(
                ref(pod),
                on.stream()
                        .map(card -> new Share(ref(pod), "main", card.id(), each))
                        .toList(),
                new TreeSet<>(),
                new Epoch(1),
                "");
        var result = coordinator.order(new dev.cede.model.Order.Reserve(reservation));
        if (!result.done()) {
            throw new AssertionError(result.reason());
        }
    }

    /** A pod that kubelet does not know of yet. */
    Pod pod(String name, Amount amount, Map<String, String> environment) {
        Map<String, Quantity> limits = new TreeMap<>();
        limits.put(Resources.MEMORY, new Quantity(String.valueOf(amount.units())));
        if (amount.core() > 0) {
            limits.put(Resources.CORE, new Quantity(String.valueOf(amount.core())));
        }
        return api.addPod(new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(30L)
                .addNewContainer()
                .withName("main")
                .withEnv(environment.entrySet().stream()
                        .map(entry -> new EnvVar(entry.getKey(), entry.getValue(), null))
                        .toList())
                .withNewResources()
                .withLimits(limits)
                .withRequests(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .build());
    }

    Pod running(String name, Card card, Amount amount, Map<String, String> environment) {
        return running(name, List.of(card), amount, environment);
    }

    Pod running(String name, List<Card> on, Amount each, Map<String, String> environment) {
        Amount all = new Amount(on.size() * each.units(), on.size() * each.core());
        Pod pod = pod(name, all, environment);
        reserve(pod, on, each);
        api.bind(uid(pod), NODE);
        return api.awaitPhase(uid(pod), "Running", LIMIT);
    }

    /** Until the driver shows so many processes on each of the cards. */
    void awaitProcesses(int count, List<Card> on) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        try (NvmlCardInventory driver = NvmlCardInventory.open(cards.library().toString())) {
            while (!on.stream()
                    .allMatch(card -> driver.processes(card.id().uuid()).size() == count)) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("not " + count + " processes on each of " + on);
                }
                Thread.sleep(20);
            }
        }
    }

    static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    static PodRef ref(Pod pod) {
        return new PodRef(pod.getMetadata().getNamespace(), pod.getMetadata().getName(), uid(pod));
    }

    /** What the limiter would read in the pod's container. */
    String limits(Pod pod) throws IOException {
        return Files.readString(root.resolve("containers")
                .resolve(uid(pod))
                .resolve("main/rootfs/var/run/cede/limits"));
    }

    /** Ends the agent without a word, and starts another on the same state. */
    void restartAgent() throws IOException {
        agent.close();
        agent = Agent.start(config());
    }

    @Override
    public void close() throws IOException {
        agent.close();
        kubelet.close();
        coordinator.close();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
