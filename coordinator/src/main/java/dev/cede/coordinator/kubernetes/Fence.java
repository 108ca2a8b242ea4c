package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.kubernetes.Bodies.Condition;
import dev.cede.model.Epoch;

import io.fabric8.kubernetes.api.model.PodCondition;

import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The condition by which a term voids what earlier terms, or its own lost calls, may still have on
 * their way to a pod: it changes the version that those name.
 */
final class Fence {
    private static final String TYPE = "cede.dev/Fence";

    /** At most 18 digits, which a long holds. */
    private static final Pattern REASON = Pattern.compile("Epoch(\\d{1,18})");

    private Fence() {}

    /** Never the same twice, since a write that changes nothing makes no new version. */
    static Condition write(Epoch epoch, Instant now) {
        return new Condition(
                TYPE,
                "True",
                "Epoch" + epoch,
                "what a scheduler sent before " + now + " and did not arrive is void");
    }

    static Epoch read(List<PodCondition> conditions) {
        return conditions.stream()
                .filter(condition -> TYPE.equals(condition.getType()))
                .map(condition -> REASON.matcher(Texts.orEmpty(condition.getReason())))
                .filter(Matcher::matches)
                .map(found -> new Epoch(Long.parseLong(found.group(1))))
                .findFirst()
                .orElse(Epoch.NONE);
    }
}
