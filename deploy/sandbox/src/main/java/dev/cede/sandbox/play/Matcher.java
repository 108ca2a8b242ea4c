package dev.cede.sandbox.play;

import dev.cede.sandbox.scenario.Expectation;
import dev.cede.sandbox.scenario.Expectation.Pods;
import dev.cede.sandbox.scenario.Expectation.Released;
import dev.cede.sandbox.scenario.Expectation.State;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether a world is as expected. Pure. */
final class Matcher {
    /** What a match was: the pod that may get a name, and a sentence. */
    record Match(String uid, String sentence) {}

    private final int cards;

    /** @param cards how many the sandbox has */
    Matcher(int cards) {
        this.cards = cards;
    }

    /** @param names UIDs of named pods */
    Optional<Match> match(Pods wanted, World world, Map<String, String> names) {
        List<PodSight> found = world.pods().values().stream()
                .filter(pod -> isMeant(wanted, pod, names))
                .filter(pod -> isAs(wanted, pod, world, names))
                .toList();
        if (found.size() < wanted.count().of(cards)) {
            return Optional.empty();
        }
        PodSight first = found.get(0);
        String sentence = found.size() == 1
                ? first.name() + " " + Sentences.of(wanted, first, world)
                : found.size() + " pods of " + wanted.who() + " are " + Sentences.state(first);
        return Optional.of(new Match(first.uid(), sentence));
    }

    private static boolean isMeant(Pods wanted, PodSight pod, Map<String, String> names) {
        boolean excluded = wanted.notWho().stream().map(names::get).anyMatch(pod.uid()::equals);
        String named = names.get(wanted.who());
        boolean meant =
                named == null ? pod.workload().equals(wanted.who()) : pod.uid().equals(named);
        return meant && !excluded;
    }

    private static boolean isAs(Pods wanted, PodSight pod, World world, Map<String, String> names) {
        return wanted.is().map(state -> is(state, pod)).orElse(!pod.gone())
                && wanted.on().map(card -> isOn(card, pod, world, names)).orElse(true)
                && (!wanted.nominated() || !pod.nominatedNode().isEmpty())
                && wanted.condition().map(pod.conditions()::contains).orElse(true)
                && wanted.because().stream().allMatch(pod.because()::contains);
    }

    static boolean is(State state, PodSight pod) {
        return switch (state) {
            case PENDING ->
                !pod.gone()
                        && !pod.terminating()
                        && pod.phase().equals("Pending")
                        && pod.node().isEmpty();
            case RUNNING -> !pod.gone() && !pod.terminating() && pod.phase().equals("Running");
            case LEAVING -> !pod.gone() && pod.terminating();
            case GONE -> pod.gone();
        };
    }

    private static boolean isOn(String card, PodSight pod, World world, Map<String, String> names) {
        List<String> now = world.cardsOf(pod.uid());
        String other = names.get(card);
        return other == null
                ? now.stream().anyMatch(name -> name.endsWith("/" + card))
                : !now.isEmpty() && now.equals(world.lastCards().get(other));
    }

    /** A pod that never had a share is not released. */
    Optional<Match> match(Released wanted, World world, Map<String, String> names) {
        String uid = names.get(wanted.who());
        boolean had = world.lastCards().containsKey(uid);
        if (!had || world.inBooks(uid) || world.alive().getOrDefault(uid, 0) > 0) {
            return Optional.empty();
        }
        String where = String.join(" and ", world.lastCards().get(uid));
        String name = world.pod(uid).map(PodSight::name).orElse(wanted.who());
        return Optional.of(new Match(
                uid, "the share of " + name + " on " + where + " is free: measured, no process"));
    }

    /** What is still in the way, for a sentence about a deadline. */
    String instead(Expectation wanted, World world, Map<String, String> names) {
        return switch (wanted) {
            case Pods pods ->
                Sentences.instead(world.pods().values().stream()
                        .filter(pod -> isMeant(pods, pod, names) && !pod.gone())
                        .toList());
            case Released released -> stillThere(names.get(released.who()), world);
            case Expectation.NoEviction none -> "";
        };
    }

    private static String stillThere(String uid, World world) {
        int alive = world.alive().getOrDefault(uid, 0);
        String books = world.inBooks(uid) ? "it is in its agent's books" : "it is in no books";
        return books + ", and " + alive + " of its processes live";
    }
}
