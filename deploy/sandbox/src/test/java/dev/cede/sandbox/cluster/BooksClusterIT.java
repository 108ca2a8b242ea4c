package dev.cede.sandbox.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.testbed.cluster.ClusterNode;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rounds of random pods on real kubelets, which lose kubelet and agent now and then: whenever all is
 * quiet, books, kubelet and containers agree (B2–B8), and nobody was given what is another's.
 */
@Tag("cluster")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class BooksClusterIT {
    private static final int ROUNDS = Integer.getInteger("cluster.rounds", 10);
    private static final long SEED = Long.getLong("cluster.seed", System.nanoTime());

    private static final List<ClusterNode> NODES = ChosenNodes.all();

    /** Three cards of 32 units on each node. */
    private static final CardSet CARDS = new CardSet(3, 32 * 128, 0);

    private static final int MOST_ACTIONS = 10;

    /** For each node. */
    private static final int MOST_PODS = 12;

    /** Of 10 actions, so many make a pod, so many delete one, and so many end an agent. */
    private static final int MAKE = 5;

    private static final int DELETE = 8;
    private static final int END_AGENT = 9;

    /** What gpu-hog ends with where it does not get its memory. */
    private static final int OUT_OF_MEMORY = 2;

    private final Random random = new Random(SEED);
    private final RandomPods pods = new RandomPods(random);

    @RegisterExtension
    private final FreshSandbox sandbox = new FreshSandbox(NODES, CARDS);

    private BooksWorld world;

    @BeforeEach
    void open() {
        RandomPods.priorities().forEach(sandbox::create);
        world = new BooksWorld(sandbox, NODES);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void whateverHappensBooksAndKubeletAndContainersAgree() {
        System.out.println("seed " + SEED);
        for (int round = 1; round <= ROUNDS; round++) {
            int actions = 1 + random.nextInt(MOST_ACTIONS);
            for (int i = 0; i < actions; i++) {
                act();
                world.awaitPodEvents(random.nextInt(4));
            }
            world.awaitQuiet();
            String where = "seed " + SEED + ", round " + round;
            System.out.println(where + ": " + world.summary());
            world.newRejections().forEach(text -> System.out.println("  rejected: " + text));
            assertEquals(List.of(), world.differences(), where);
            assertEquals(List.of(), world.unexplainedRejections(), where);
            assertTrue(
                    world.pods().all().stream().noneMatch(told -> told.exitedWith(OUT_OF_MEMORY)),
                    where + ": there was no memory for a process that was to have it");
            world.removePodsThatAreOver();
        }
    }

    private void act() {
        int drawn = random.nextInt(10);
        if (drawn < MAKE) {
            createUnlessFull();
        } else if (drawn < DELETE) {
            deleteOne();
        } else if (drawn < END_AGENT) {
            world.killAgentAndStartIt(anyNode(), this::createUnlessFull);
        } else {
            world.restartKubelet(anyNode(), this::createUnlessFull);
        }
    }

    private void createUnlessFull() {
        if (world.pods().present().size() < MOST_PODS * world.nodeNames().size()) {
            sandbox.create(pods.next());
        }
    }

    private void deleteOne() {
        List<Told> present = List.copyOf(world.pods().present().values());
        if (!present.isEmpty()) {
            sandbox.pod(present.get(random.nextInt(present.size())).name()).delete();
        }
    }

    private String anyNode() {
        List<String> names = world.nodeNames();
        return names.get(random.nextInt(names.size()));
    }
}
