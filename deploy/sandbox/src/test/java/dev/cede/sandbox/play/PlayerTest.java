package dev.cede.sandbox.play;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.picture.Ink;
import dev.cede.sandbox.play.FakeCluster.Pod;
import dev.cede.sandbox.scenario.Scenario;
import dev.cede.sandbox.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run succeeds only if everything was seen, in this order, and says what was not. */
class PlayerTest {
    private static final Pod LOW = Pod.pending("low", "low-1");
    private static final Pod HIGH = Pod.pending("high", "high-1");

    @TempDir
    private Path folder;

    private final List<String> lines = new ArrayList<>();
    private final FakeCluster cluster = new FakeCluster(1);

    private boolean play(String steps) throws IOException {
        Files.writeString(folder.resolve("10-a.yaml"), "");
        Files.writeString(folder.resolve("expect.yaml"), "title: t\nsteps:\n" + steps);
        Scenario scenario = ScenarioReader.read(folder);
        return new Player(cluster, new Console(Ink.PLAIN, lines::add)).play(scenario);
    }

    private boolean see(String expectations) throws IOException {
        return play("- { apply: 10-a.yaml, see: [" + expectations + "] }\n");
    }

    private String said() {
        return String.join("\n", lines).replaceAll("\\s+", " ");
    }

    private void assertSaid(String text) {
        assertTrue(said().contains(text), this::said);
    }

    @Test
    void whatIsSeenInOrderIsAnsweredWithOk() throws IOException {
        cluster.then(
                FakeCluster.pod(LOW), FakeCluster.card("low-1"), FakeCluster.pod(LOW.running()));
        assertTrue(see("{pod: low, is: pending}, {pod: low, is: running, on: c0}"));
        assertSaid("OK low-1 is Pending");
        assertSaid("OK low-1 is Running on n0/c0");
        assertSaid("OK All 2 expectations of \"t\" were seen.");
    }

    @Test
    void whatIsNotSeenFailsWithTheStepAndWhatIsSoInstead() throws IOException {
        cluster.then(FakeCluster.pod(LOW.because("no room")));
        assertFalse(see("{pod: low, is: running, within: 2}"));
        assertSaid("FAILED Step 1, not seen within 2 s: pod low is running."
                + " low-1 is Pending: no room.");
    }

    @Test
    void whatWasSeenOnlyBeforeTheExpectationBeforeItIsNotSeen() throws IOException {
        cluster.then(FakeCluster.pod(LOW), FakeCluster.pod(LOW.running()));
        assertFalse(see("{pod: low, is: running}, {pod: low, is: pending}"));
    }

    @Test
    void aMomentThatPassedIsSeenAllTheSame() throws IOException {
        cluster.then(
                FakeCluster.pod(LOW.running()),
                FakeCluster.pod(LOW.running().evicted()),
                FakeCluster.gone("low-1"));
        assertTrue(
                see("{pod: low, condition: DisruptionTarget, is: leaving}, {pod: low, is: gone}"));
    }

    @Test
    void aShareIsReleasedOnlyWhenItHasLeftTheBooksAndNoProcessLives() throws IOException {
        cluster.then(FakeCluster.pod(LOW.running()), FakeCluster.card(Map.of("low-1", 1), "low-1"));
        String released = "{pod: low, is: running, as: victim}, {released: victim, within: 1}";
        assertFalse(see(released));
        assertSaid("it is in its agent's books, and 1 of its processes live");

        cluster.then(FakeCluster.pod(LOW.running()), FakeCluster.card(Map.of("low-1", 1)));
        assertFalse(see(released));
        assertSaid("it is in no books, and 1 of its processes live");

        cluster.then(
                FakeCluster.pod(LOW.running()),
                FakeCluster.card(Map.of("low-1", 1), "low-1"),
                FakeCluster.card());
        assertTrue(see(released));
    }

    @Test
    void aReplacementIsAnotherPodThanTheNamedOne() throws IOException {
        String twice = "{pod: low, is: running, as: first}, {pod: low, not: first, is: running}";
        cluster.then(FakeCluster.pod(LOW.running()));
        assertFalse(see(twice));
        cluster.then(
                FakeCluster.pod(LOW.running()),
                FakeCluster.pod(Pod.pending("low", "low-2").running()));
        assertTrue(see(twice));
    }

    @Test
    void anEvictionThatShouldNotBeFailsTheRun() throws IOException {
        cluster.then(
                FakeCluster.pod(LOW.running()), FakeCluster.pod(LOW.running().evicted()));
        assertFalse(see("{pod: low, is: running}, {never: evicted, for: 3}"));
        assertSaid("FAILED Step 1, nobody was to be evicted: low-1");
    }

    @Test
    void noEvictionIsAlsoCheckedAgainstWhatHadBeenSeenBefore() throws IOException {
        cluster.then(FakeCluster.pod(LOW.running().evicted()));
        assertFalse(see("{pod: low, is: leaving}, {never: evicted}"));
    }

    @Test
    void nobodyEvictedForTheWholeTimeIsOk() throws IOException {
        cluster.then(FakeCluster.pod(HIGH.because("the switch would allow it")));
        assertTrue(see("{pod: high, because: [switch, allow]}, {never: evicted, for: 3}"));
        assertSaid("OK nobody was evicted");
    }

    @Test
    void aCardWithMoreGivenOutThanItHasFailsAnyRun() throws IOException {
        cluster.then(FakeCluster.card("low-1", "high-1"), FakeCluster.pod(LOW));
        assertFalse(see("{pod: low, is: pending}"));
        assertSaid("FAILED Step 1, n0/c0 has too much given out");
    }

    @Test
    void aPartOfOursThatEndedFailsAnyRun() throws IOException {
        cluster.then(new Sighting.PartEnded(cluster.now(), "The coordinator ended"));
        assertFalse(see("{pod: low, is: running}"));
        assertSaid("FAILED Step 1, The coordinator ended");
    }

    @Test
    void countsAreOfThePodsAtOneMoment() throws IOException {
        cluster.then(
                FakeCluster.pod(LOW.running()),
                FakeCluster.gone("low-1"),
                FakeCluster.pod(Pod.pending("low", "low-2").running()));
        assertFalse(see("{pod: low, is: running, count: 2}"));
    }

    @Test
    void noLineIsWiderThanATerminal() throws IOException {
        cluster.then(FakeCluster.pod(LOW.because("a reason without end ".repeat(20))));
        assertFalse(see("{pod: low, is: running, within: 1}"));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), this::said);
    }

    @Test
    void eachActionIsDoneOnceAndInOrder() throws IOException {
        cluster.then(FakeCluster.pod(LOW.running()));
        assertTrue(play("""
                - { apply: 10-a.yaml, see: [{ pod: low, is: running }] }
                - { set: { enable_topology_aware_preemption: true } }
                - { delete: deployment/low }
                """));
        assertEquals(
                List.of(
                        "apply 10-a.yaml",
                        "set {enable_topology_aware_preemption=true} in" + " coordinator.yaml",
                        "delete deployment/low"),
                cluster.actions.stream().map(Sentences::of).toList());
    }
}
