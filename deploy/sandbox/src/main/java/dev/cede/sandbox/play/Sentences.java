package dev.cede.sandbox.play;

import dev.cede.sandbox.scenario.Action;
import dev.cede.sandbox.scenario.Expectation;
import dev.cede.sandbox.scenario.Expectation.Pods;
import dev.cede.sandbox.scenario.Expectation.State;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Words for what is done, wanted and seen. Pure. */
final class Sentences {
    private Sentences() {}

    static String of(Action action) {
        return switch (action) {
            case Action.Apply apply ->
                "apply " + apply.file() + (apply.oneACard() ? ", one pod for each card" : "");
            case Action.Delete delete -> "delete " + delete.kind() + "/" + delete.name();
            case Action.Configure configure -> "set " + configure.keys() + " in coordinator.yaml";
        };
    }

    static String of(Expectation wanted) {
        return switch (wanted) {
            case Pods pods -> wanted(pods);
            case Expectation.Released released -> "the share of " + released.who() + " is free";
            case Expectation.NoEviction none ->
                "nobody is evicted for " + none.within().toSeconds() + " s";
        };
    }

    private static String wanted(Pods pods) {
        List<String> words = new ArrayList<>();
        words.add("pod " + pods.who());
        pods.notWho().forEach(other -> words.add("other than " + other));
        pods.is().ifPresent(state -> words.add("is " + state.name().toLowerCase(Locale.ROOT)));
        pods.on().ifPresent(card -> words.add("on the card " + card));
        if (pods.nominated()) {
            words.add("with a nominated node");
        }
        pods.condition().ifPresent(type -> words.add("with condition " + type));
        pods.because().forEach(text -> words.add("saying \"" + text + "\""));
        if (!pods.count().equals(Expectation.Count.ONE)) {
            words.add(
                    pods.count().oneACard()
                            ? "(one a card)"
                            : "(" + pods.count().number() + ")");
        }
        return String.join(" ", words);
    }

    /** What is so about a pod that was wanted so. */
    static String of(Pods wanted, PodSight pod, World world) {
        List<String> words = new ArrayList<>();
        words.add("is " + state(pod));
        if (wanted.on().isPresent() || wanted.is().filter(State.RUNNING::equals).isPresent()) {
            List<String> cards = world.cardsOf(pod.uid());
            if (!cards.isEmpty()) {
                words.add("on " + String.join(" and ", cards));
            }
        }
        if (wanted.nominated()) {
            words.add("with nominated node " + pod.nominatedNode());
        }
        wanted.condition().ifPresent(type -> words.add("with condition " + type));
        if (!wanted.because().isEmpty()) {
            words.add("because " + pod.because());
        }
        return String.join(" ", words);
    }

    static String state(PodSight pod) {
        if (pod.gone()) {
            return "gone";
        }
        return pod.terminating() ? "leaving" : pod.phase();
    }

    static String instead(List<PodSight> pods) {
        if (pods.isEmpty()) {
            return "there is no such pod";
        }
        List<String> parts = new ArrayList<>();
        for (PodSight pod : pods) {
            String why = pod.because().isEmpty() ? pod.ended() : pod.because();
            parts.add(pod.name() + " is " + state(pod) + (why.isEmpty() ? "" : ": " + why));
        }
        return String.join("; ", parts);
    }

    /** What changed about a pod; empty if nothing worth a line. */
    static List<String> changes(PodSight before, PodSight after) {
        List<String> lines = new ArrayList<>();
        boolean fresh = before == null;
        if (fresh) {
            lines.add("is new, " + after.phase());
        }
        nomination(fresh ? "" : before.nominatedNode(), after).ifPresent(lines::add);
        if (after.evicted() && (fresh || !before.evicted())) {
            lines.add("has condition " + PodSight.EVICTED);
        }
        if (after.terminating() && (fresh || !before.terminating())) {
            lines.add("is leaving");
        }
        if (!after.node().isEmpty() && (fresh || before.node().isEmpty())) {
            lines.add("is bound to " + after.node());
        }
        if (!fresh && !after.phase().equals(before.phase())) {
            lines.add(after.phase() + (after.ended().isEmpty() ? "" : ": " + after.ended()));
        }
        if (!after.because().isEmpty() && (fresh || !after.because().equals(before.because()))) {
            lines.add("waits: " + after.because());
        }
        if (after.gone()) {
            lines.add("is gone");
        }
        return lines;
    }

    /** That a bound pod loses it goes without saying. */
    private static Optional<String> nomination(String before, PodSight after) {
        String now = after.nominatedNode();
        if (now.equals(before) || (now.isEmpty() && !after.node().isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(
                now.isEmpty() ? "has no nominated node any more" : "is nominated to " + now);
    }
}
