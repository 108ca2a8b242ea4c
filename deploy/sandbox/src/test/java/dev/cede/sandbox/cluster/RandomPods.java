package dev.cede.sandbox.cluster;

import dev.cede.sandbox.cluster.HogPod.Ask;

import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Draws pods that leave in different ways, of so few sizes that many ask alike. */
final class RandomPods {
    private static final List<PriorityClass> PRIORITIES = List.of(
            HogPod.priorityClass("books-10", 10),
            HogPod.priorityClass("books-100", 100),
            HogPod.priorityClass("books-1000", 1000));

    private static final int MOST_CONTAINERS = 3;
    private static final int MOST_UNITS = 8;
    private static final int MOST_STEPS = 4;
    private static final int STEP_PERCENT = 5;
    private static final int MOST_CLING_SECONDS = 2;
    private static final long GRACE_SECONDS = 5;

    private final Random random;
    private int drawn;

    RandomPods(Random random) {
        this.random = random;
    }

    static List<PriorityClass> priorities() {
        return PRIORITIES;
    }

    HogPod next() {
        int containers = 1 + random.nextInt(MOST_CONTAINERS);
        int cling = random.nextInt(MOST_CLING_SECONDS + 1);
        return new HogPod(
                "books-" + drawn++,
                priority(),
                GRACE_SECONDS,
                IntStream.range(0, containers).mapToObj(i -> ask()).toList(),
                Map.of("GPU_HOG_CLING_SECONDS", String.valueOf(cling)));
    }

    /** Every fourth pod has none. */
    private String priority() {
        int drawnPriority = random.nextInt(PRIORITIES.size() + 1);
        return drawnPriority == PRIORITIES.size()
                ? ""
                : PRIORITIES.get(drawnPriority).getMetadata().getName();
    }

    private Ask ask() {
        boolean memoryOnly = random.nextBoolean();
        int percentage = memoryOnly ? 0 : STEP_PERCENT * (1 + random.nextInt(MOST_STEPS));
        return new Ask(1 + random.nextInt(MOST_UNITS), percentage);
    }
}
