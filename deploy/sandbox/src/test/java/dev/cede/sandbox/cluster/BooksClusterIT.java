package dev.cede.sandbox.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.cluster.PodWatch.Told;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rounds of random pods on real kubelets, which lose kubelet and agent now and then: whenever all is
 * quiet, books, kubelet and containers agree (B2–B8), and nobody was given what is another's.
 */
@Tag("cluster")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class BooksClusterIT {
    private static final int ROUNDS = Integer.getInteger("cluster.rounds", 10);
    private static final long SEED = Long.getLong("cluster.seed", System.nanoTime());
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
    private final BooksWorld world = new BooksWorld(ChosenNodes.all());
    private final RandomPods pods = new RandomPods(random);

    private boolean passed;

    @AfterEach
    void close() {
        world.close(!passed);
    }

    @Test
    void whateverHappensBooksAndKubeletAndContainersAgree() {
        System.out.println("seed " + SEED);
        world.start(RandomPods.priorities());
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
        passed = true;
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
            world.create(pods.next());
        }
    }

    private void deleteOne() {
        List<Told> present = List.copyOf(world.pods().present().values());
        if (!present.isEmpty()) {
            world.delete(present.get(random.nextInt(present.size())));
        }
    }

    private String anyNode() {
        List<String> names = world.nodeNames();
        return names.get(random.nextInt(names.size()));
    }
}
