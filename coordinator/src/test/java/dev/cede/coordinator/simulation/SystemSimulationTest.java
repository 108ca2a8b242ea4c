package dev.cede.coordinator.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole system in virtual time. {@code -Dsimulation.seeds=N} runs so many seeds, {@code
 * -Dsimulation.seed=S} one with its trace.
 */
final class SystemSimulationTest {
    private static final long SEEDS = Long.getLong("simulation.seeds", 1_000);

    /** Within so many every planted bug has to be found. */
    private static final long BUG_SEEDS = 1_000;

    /** So many are looked at side by side. */
    private static final long BATCH = 8;

    private static final long FIRST = Long.getLong("simulation.first", 1);

    @Test
    void invariantsHoldAndAllSettles() {
        Long one = Long.getLong("simulation.seed");
        if (one != null) {
            Run run = Run.of(one, Bug.NONE, true);
            System.out.println(run.trace());
            assertEquals("", run.failure());
            return;
        }
        Tally all = new Tally();
        List<String> failures = LongStream.range(FIRST, FIRST + SEEDS)
                .parallel()
                .mapToObj(seed -> Run.of(seed, Bug.NONE, false))
                .peek(run -> all.add(run.tally()))
                .filter(run -> !run.failure().isEmpty())
                .map(Run::line)
                .toList();
        System.out.println(all.table());
        assertTrue(failures.isEmpty(), () -> String.join("\n", failures));
    }

    /** Each is found by a seed that finds nothing without it; the line names it. */
    @ParameterizedTest
    @EnumSource
    void thisBugIsFound(PlantedBugs bug) {
        Run found = LongStream.iterate(1, first -> first <= BUG_SEEDS, first -> first + BATCH)
                .mapToObj(first -> find(bug, first))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new AssertionError(bug + " is not found"));
        System.out.println(bug + " is found by seed " + found.seed() + ": " + found.failure());
    }

    private static Optional<Run> find(PlantedBugs bug, long first) {
        return LongStream.range(first, first + BATCH)
                .parallel()
                .mapToObj(seed -> Run.of(seed, bug, false))
                .filter(run -> !run.failure().isEmpty())
                .filter(run -> Run.of(run.seed(), Bug.NONE, false).failure().isEmpty())
                .findFirst();
    }

    @Test
    void oneSeedTwiceGivesTheSameTrace() {
        for (long seed = 1; seed <= 5; seed++) {
            assertEquals(
                    Run.of(seed, Bug.NONE, true).trace(),
                    Run.of(seed, Bug.NONE, true).trace());
        }
    }
}
