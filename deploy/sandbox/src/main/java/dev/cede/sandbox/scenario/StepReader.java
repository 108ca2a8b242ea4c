package dev.cede.sandbox.scenario;

import dev.cede.sandbox.scenario.Expectation.Count;
import dev.cede.sandbox.scenario.Expectation.State;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Reads steps one after the other, because later ones may use names that earlier ones give. */
final class StepReader {
    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final int MOST_SECONDS = 3600;
    private static final int MOST_PODS = 1000;
    private static final String STEP_KEYS =
            "one of apply, delete and set, with see and (beside apply) replicas";
    private static final String POD_KEYS =
            "pod, not, is, on, nominated, condition, because, as, count and within";

    private final TreeSet<String> names = new TreeSet<>();

    Step read(Fields step) {
        Action action = action(step);
        List<Expectation> see = new ArrayList<>();
        for (Object item : step.list("see")) {
            String place = step.place() + ", see " + (see.size() + 1);
            see.add(expectation(new Fields(place, item)));
        }
        step.requireAllTaken(STEP_KEYS);
        return new Step(action, see);
    }

    private static Action action(Fields step) {
        if (step.has("apply")) {
            return apply(step);
        }
        if (step.has("delete")) {
            return delete(step);
        }
        if (step.has("set")) {
            return new Action.Configure(step.plainMap("set"));
        }
        throw new ScenarioException(step.place() + " takes " + STEP_KEYS + ".");
    }

    private static Action apply(Fields step) {
        String file = step.requiredText("apply");
        Optional<String> replicas = step.text("replicas");
        replicas.filter(word -> !word.equals("cards")).ifPresent(word -> {
            throw step.refused("replicas", "only cards", word);
        });
        return new Action.Apply(file, replicas.isPresent());
    }

    private static Action delete(Fields step) {
        String what = step.requiredText("delete");
        String[] parts = what.split("/", -1);
        boolean known = parts.length == 2
                && List.of("pod", "deployment").contains(parts[0])
                && !parts[1].isEmpty();
        if (!known) {
            throw step.refused("delete", "pod/NAME or deployment/NAME", what);
        }
        return new Action.Delete(parts[0], parts[1]);
    }

    private Expectation expectation(Fields fields) {
        if (fields.has("released")) {
            String who = known(fields, "released", fields.requiredText("released"));
            Duration within = seconds(fields, "within", USUAL);
            fields.requireAllTaken("released and within");
            return new Expectation.Released(who, within);
        }
        if (fields.has("never")) {
            return noEviction(fields);
        }
        return pods(fields);
    }

    private static Expectation noEviction(Fields fields) {
        String what = fields.requiredText("never");
        if (!what.equals("evicted")) {
            throw fields.refused("never", "only evicted", what);
        }
        Duration watched = seconds(fields, "for", Duration.ZERO);
        fields.requireAllTaken("never and for");
        return new Expectation.NoEviction(watched);
    }

    private Expectation pods(Fields fields) {
        String who = fields.requiredText("pod");
        List<String> notWho = fields.texts("not");
        notWho.forEach(name -> known(fields, "not", name));
        Expectation.Pods pods = new Expectation.Pods(
                who,
                notWho,
                fields.text("is").map(word -> state(fields, word)),
                fields.text("on").map(word -> card(fields, word)),
                fields.isTrue("nominated"),
                fields.text("condition"),
                fields.texts("because"),
                fields.text("as"),
                fields.text("count").map(word -> count(fields, word)).orElse(Count.ONE),
                seconds(fields, "within", USUAL));
        fields.requireAllTaken(POD_KEYS);
        pods.as().ifPresent(names::add);
        return pods;
    }

    private String known(Fields fields, String key, String name) {
        if (!names.contains(name)) {
            throw fields.refused(key, "a name that an earlier expectation gave with as", name);
        }
        return name;
    }

    private static State state(Fields fields, String word) {
        return switch (word) {
            case "pending" -> State.PENDING;
            case "running" -> State.RUNNING;
            case "leaving" -> State.LEAVING;
            case "gone" -> State.GONE;
            default -> throw fields.refused("is", "pending, running, leaving or gone", word);
        };
    }

    private String card(Fields fields, String word) {
        if (!word.matches("c[0-9]+") && !names.contains(word)) {
            throw fields.refused("on", "a card such as c0, or a named pod", word);
        }
        return word;
    }

    private static Count count(Fields fields, String word) {
        return word.equals("cards")
                ? Count.ONE_A_CARD
                : new Count(fields.number("count", word, MOST_PODS), false);
    }

    private static Duration seconds(Fields fields, String key, Duration otherwise) {
        return fields.number(key, MOST_SECONDS).map(Duration::ofSeconds).orElse(otherwise);
    }
}
