package dev.cede.sandbox.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads a scenario's folder; README.md beside the scenarios documents the format. */
public final class ScenarioReader {
    private static final String EXPECT = "expect.yaml";

    private ScenarioReader() {}

    /** Reads {@code expect.yaml} and checks that it and the folder's manifests name each other. */
    public static Scenario read(Path folder) {
        Path file = folder.resolve(EXPECT);
        if (!Files.isRegularFile(file)) {
            throw new ScenarioException(
                    "The scenario folder %s has no %s.".formatted(folder, EXPECT));
        }
        Scenario scenario = parse(folder, text(file));
        requireSameManifests(scenario);
        return scenario;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ScenarioException("Cannot read %s: %s.".formatted(file, e.getMessage()));
        }
    }

    static Scenario parse(Path folder, String yaml) {
        Fields root = new Fields(EXPECT, load(yaml));
        String title = root.requiredText("title");
        Optional<Boolean> switchOn = root.text("switch").map(word -> onOrOff(root, word));
        Optional<Integer> nodes = root.number("nodes", Scenario.MOST_NODES);
        Optional<Integer> cards = root.number("cards", Scenario.MOST_CARDS);
        List<?> items = root.list("steps");
        root.requireAllTaken("title, switch, nodes, cards and steps");
        if (items.isEmpty()) {
            throw new ScenarioException(EXPECT + " has no steps.");
        }
        StepReader reader = new StepReader();
        List<Step> steps = new ArrayList<>();
        for (Object item : items) {
            String place = EXPECT + ": step " + (steps.size() + 1);
            steps.add(reader.read(new Fields(place, item)));
        }
        return new Scenario(folder, title, switchOn, nodes, cards, steps);
    }

    private static Object load(String yaml) {
        try {
            return new Load(LoadSettings.builder().build()).loadFromString(yaml);
        } catch (YamlEngineException e) {
            String where = e.getMessage().replaceAll("\\s+", " ");
            throw new ScenarioException(EXPECT + " is not valid YAML: " + where);
        }
    }

    private static boolean onOrOff(Fields root, String word) {
        return switch (word) {
            // YAML 1.2 reads on and off as texts, true and false as truth values.
            case "on", "true" -> true;
            case "off", "false" -> false;
            default -> throw root.refused("switch", "on or off", word);
        };
    }

    private static void requireSameManifests(Scenario scenario) {
        Set<String> applied = new TreeSet<>();
        for (Step step : scenario.steps()) {
            if (step.action() instanceof Action.Apply apply) {
                applied.add(apply.file());
            }
        }
        Set<String> present = manifests(scenario.folder());
        for (String file : applied) {
            if (!present.contains(file)) {
                throw new ScenarioException("%s applies %s, which is not in %s."
                        .formatted(EXPECT, file, scenario.folder()));
            }
        }
        present.removeAll(applied);
        if (!present.isEmpty()) {
            throw new ScenarioException("No step of %s applies %s."
                    .formatted(EXPECT, present.iterator().next()));
        }
    }

    private static Set<String> manifests(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            Set<String> names = new TreeSet<>();
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches(".*\\.ya?ml") && !name.equals(EXPECT))
                    .forEach(names::add);
            return names;
        } catch (IOException e) {
            throw new ScenarioException("Cannot list %s: %s.".formatted(folder, e.getMessage()));
        }
    }
}
