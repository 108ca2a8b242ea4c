package dev.cede.sandbox.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.machine.Machines;
import dev.cede.sandbox.picture.Ink;
import dev.cede.sandbox.play.Console;
import dev.cede.sandbox.play.Eviction;
import dev.cede.sandbox.play.Eviction.Moment;
import dev.cede.sandbox.play.Player;
import dev.cede.sandbox.play.PodSight;
import dev.cede.sandbox.scenario.Scenario;
import dev.cede.sandbox.scenario.ScenarioReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sandbox's scenarios on a real API server and a real kubelet. */
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DocumentedExampleClusterIT {
    /** How often the documented example is played. */
    private static final int REPETITIONS = Integer.getInteger("cluster.repetitions", 2);

    /** The sandbox's own. */
    private static final CardSet CARDS = new CardSet(1, 8192, 0);

    /** V01, D2, E8, E9, E11. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void withTheSwitchOnTheImportantOneTakesTheCardAndGivesItBack() {
        List<Eviction> evictions = Stream.generate(() -> play("switch-on"))
                .limit(REPETITIONS)
                .flatMap(player -> player.evictions().stream())
                .toList();
        assertEquals(REPETITIONS, evictions.size(), "one eviction a run");
        System.out.println(table(evictions));
        assertTrue(
                evictions.stream().allMatch(Eviction::isWhole),
                "a moment was not seen:\n" + table(evictions));
    }

    /** V01, D5, F2. */
    @Test
    void withTheSwitchOffNobodyIsEvictedUntilItIsTurnedOn() {
        System.out.println(table(play("switch-off").evictions()));
    }

    /** V01. */
    @Test
    void deletingOnlyTheImportantPodBringsTheImportantOneBack() {
        play("pod-deleted");
    }

    /** A1–A9, A11, A12: each bad input has its own sentence. */
    @Test
    void whatCannotBePlacedSaysSo() {
        play("bad-input");
    }

    /** All that is expected was seen, and kubelet rejected no pod. */
    private static Player play(String name) {
        Scenario scenario = ScenarioReader.read(Path.of("scenarios", name));
        Console console = new Console(Ink.PLAIN, System.out::println);
        Machines machines = ChosenNodes.sandbox(ChosenNodes.one(), CARDS, scenario.folder());
        boolean seen = false;
        try {
            console.plain("Scenario: " + scenario.title());
            machines.start(scenario.switchOn().orElse(true));
            Player player = new Player(machines, console);
            seen = player.play(scenario);
            assertTrue(seen, () -> "logs are in " + machines.folder());
            assertEquals(List.of(), rejected(player));
            return player;
        } finally {
            if (seen) {
                machines.close();
            } else {
                machines.closeKeepingFiles();
            }
        }
    }

    private static List<PodSight> rejected(Player player) {
        return player.world().pods().values().stream()
                .filter(pod -> pod.ended().startsWith("UnexpectedAdmissionError"))
                .toList();
    }

    private static String table(List<Eviction> evictions) {
        String head = "Milliseconds since the victim's last process ended:\n"
                + row(List.of("final phase", "measured free", "winner bound", "winner running"));
        return evictions.stream()
                .map(eviction -> Stream.of(Moment.FINAL, Moment.FREE, Moment.BOUND, Moment.RUNNING)
                        .map(moment -> eviction.millis(Moment.EXITED, moment)
                                .map(String::valueOf)
                                .orElse("-"))
                        .toList())
                .map(DocumentedExampleClusterIT::row)
                .collect(Collectors.joining("\n", head + "\n", ""));
    }

    private static String row(List<String> cells) {
        return cells.stream().map("%15s"::formatted).collect(Collectors.joining());
    }
}
