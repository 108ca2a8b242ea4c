package dev.cede.coordinator.config;

import dev.cede.config.SettingsException;
import dev.cede.coordinator.loop.OurNames;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** {@code scheduler_names}: one name, several with commas, or a YAML list of them. */
final class SchedulerNames {
    /** So that the documented product's manifests run unchanged (A7). */
    private static final OurNames DEFAULT = new OurNames(new TreeSet<>(List.of("volcano")), false);

    private SchedulerNames() {}

    static OurNames parse(Optional<String> text) {
        return text.map(SchedulerNames::parse).orElse(DEFAULT);
    }

    private static OurNames parse(String text) {
        // A YAML list of plain names arrives as [a, b].
        boolean list = text.startsWith("[") && text.endsWith("]");
        String names = list ? text.substring(1, text.length() - 1) : text;
        List<String> parsed =
                Arrays.stream(names.split(",", -1)).map(String::strip).toList();
        if (parsed.stream().anyMatch(name -> !name.matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?"))) {
            throw new SettingsException("scheduler_names is " + text
                    + "; it takes names such as volcano, separated by commas");
        }
        return new OurNames(new TreeSet<>(parsed), true);
    }
}
