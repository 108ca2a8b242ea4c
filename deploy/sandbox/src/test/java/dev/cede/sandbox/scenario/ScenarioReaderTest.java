package dev.cede.sandbox.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.cede.sandbox.scenario.Expectation.Count;
import dev.cede.sandbox.scenario.Expectation.NoEviction;
import dev.cede.sandbox.scenario.Expectation.Pods;
import dev.cede.sandbox.scenario.Expectation.Released;
import dev.cede.sandbox.scenario.Expectation.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioReaderTest {
    private static final String WHOLE = """
            title: a test
            switch: off
            nodes: 2
            cards: 3
            steps:
              - apply: 10-a.yaml
                replicas: cards
                see:
                  - { pod: a, is: running, on: c0, count: cards, as: first, within: 5 }
              - set: { enable_topology_aware_preemption: true, core_step: 1 }
                see:
                  - pod: b
                    not: first
                    is: pending
                    nominated: true
                    condition: DisruptionTarget
                    because: [one, two]
                  - { released: first }
                  - { never: evicted, for: 2 }
              - delete: pod/first
            """;

    private static Scenario parse(String yaml) {
        return ScenarioReader.parse(Path.of("."), yaml);
    }

    @Test
    void aWholeScenarioIsRead() {
        Scenario scenario = parse(WHOLE);
        Pods first = new Pods(
                "a",
                List.of(),
                Optional.of(State.RUNNING),
                Optional.of("c0"),
                false,
                Optional.empty(),
                List.of(),
                Optional.of("first"),
                Count.ONE_A_CARD,
                Duration.ofSeconds(5));
        Pods second = new Pods(
                "b",
                List.of("first"),
                Optional.of(State.PENDING),
                Optional.empty(),
                true,
                Optional.of("DisruptionTarget"),
                List.of("one", "two"),
                Optional.empty(),
                Count.ONE,
                Duration.ofSeconds(30));
        assertEquals(
                new Scenario(
                        Path.of("."),
                        "a test",
                        Optional.of(false),
                        Optional.of(2),
                        Optional.of(3),
                        List.of(
                                new Step(new Action.Apply("10-a.yaml", true), List.of(first)),
                                new Step(
                                        new Action.Configure(new TreeMap<>(Map.of(
                                                "enable_topology_aware_preemption",
                                                "true",
                                                "core_step",
                                                "1"))),
                                        List.of(
                                                second,
                                                new Released("first", Duration.ofSeconds(30)),
                                                new NoEviction(Duration.ofSeconds(2)))),
                                new Step(new Action.Delete("pod", "first"), List.of()))),
                scenario);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "switch: off|switch: maybe|expect.yaml.switch takes on or off, not maybe.",
                "nodes: 2|nodes: 9|expect.yaml.nodes takes a whole number from 1 to 8, not 9.",
                "cards: 3|cards: many|expect.yaml.cards takes a whole number from 1 to 16, not many.",
                "title: a test|titel: a test|expect.yaml lacks title.",
                "title: a test|{title: a test, more: 1}|expect.yaml is not valid YAML",
                "replicas: cards|replicas: 3|expect.yaml: step 1.replicas takes only cards, not 3.",
                "is: running|is: up|takes pending, running, leaving or gone, not up.",
                "on: c0|on: card|.on takes a card such as c0, or a named pod, not card.",
                "within: 5|within: 0|.within takes a whole number from 1 to 3600, not 0.",
                "within: 5|wthin: 5|has the unknown key wthin; it takes pod, not, is, on,",
                "not: first|not: second|takes a name that an earlier expectation gave with as, not second.",
                "nominated: true|nominated: false|.nominated takes only true, not false.",
                "released: first|released: a|takes a name that an earlier expectation gave with as, not a.",
                "never: evicted|never: started|.never takes only evicted, not started.",
                "delete: pod/first|delete: first|.delete takes pod/NAME or deployment/NAME, not first.",
                "delete: pod/first|remove: first|expect.yaml: step 3 takes one of apply, delete and set,",
            })
    void whatItDoesNotKnowIsOneSentenceThatNamesThePlace(String good, String bad, String sentence) {
        ScenarioException refused =
                assertThrows(ScenarioException.class, () -> parse(WHOLE.replace(good, bad)));
        assertEquals(true, refused.getMessage().contains(sentence), () -> refused.getMessage());
    }

    @Test
    void aFolderWithoutExpectationsIsRefused(@TempDir Path folder) {
        ScenarioException refused =
                assertThrows(ScenarioException.class, () -> ScenarioReader.read(folder));
        assertEquals(
                "The scenario folder " + folder + " has no expect.yaml.", refused.getMessage());
    }

    @Test
    void manifestsAndStepsNameEachOther(@TempDir Path folder) throws IOException {
        Files.writeString(
                folder.resolve("expect.yaml"), "title: t\nsteps: [{ apply: 10-a.yaml }]\n");
        ScenarioException missing =
                assertThrows(ScenarioException.class, () -> ScenarioReader.read(folder));
        assertEquals(
                "expect.yaml applies 10-a.yaml, which is not in " + folder + ".",
                missing.getMessage());
        Files.writeString(folder.resolve("10-a.yaml"), "");
        Files.writeString(folder.resolve("20-b.yaml"), "");
        ScenarioException unused =
                assertThrows(ScenarioException.class, () -> ScenarioReader.read(folder));
        assertEquals("No step of expect.yaml applies 20-b.yaml.", unused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "switch-on",
                "switch-off",
                "pod-deleted",
                "three-replicas",
                "third-without-place",
                "two-cards"
            })
    void ourOwnScenariosAreRead(String name) {
        Scenario scenario = ScenarioReader.read(Path.of("scenarios", name));
        assertEquals(Optional.of(!name.equals("switch-off")), scenario.switchOn());
    }
}
