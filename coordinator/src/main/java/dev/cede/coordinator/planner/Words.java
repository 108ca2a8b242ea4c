package dev.cede.coordinator.planner;

import dev.cede.model.Amount;

import java.util.List;
import java.util.stream.Collectors;

/** Parts of sentences that several reasons share. */
final class Words {
    private Words() {}

    /** Names the pod where the workload has several (V06). */
    static String prefix(Member member, int members) {
        return members == 1
                ? ""
                : "member " + member.number() + " (" + member.pod().ref().namespacedName() + ") ";
    }

    static String ask(Member member) {
        if (member.ask().isEmpty()) {
            return "a pod without shares";
        }
        String amounts = member.ask().amounts().stream()
                .map(Words::amount)
                .collect(Collectors.joining(" + "));
        return amounts + onEach(member.ask());
    }

    /** For what is asked of several cards (A8). */
    static String onEach(ShareAsk ask) {
        return ask.onOneCardEach() ? "" : " on each of " + ask.cards() + " cards";
    }

    static String amount(Amount amount) {
        String units = count(amount.units(), "unit");
        return amount.core() == 0 ? units : units + " and " + amount.core() + " % core";
    }

    static String count(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** The first few, and how many more there are. */
    static String some(List<String> texts, int most, String between) {
        String first = texts.stream().limit(most).collect(Collectors.joining(between));
        int more = texts.size() - most;
        return more > 0 ? first + between + "and " + more + " more" : first;
    }
}
