package dev.cede.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A configuration file: one flat YAML map with snake-case keys. Each key is taken once; {@link
 * #requireAllTaken()} then refuses what nobody knows (F2). Every error is a {@link
 * SettingsException} whose message names the key and what it accepts.
 *
 * <p>{@code $(NAME)} in a value is a variable of the environment, as in a pod's command, so that all
 * pods of a set can have one file.
 */
public final class Settings {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)");

    private final Map<String, Object> left;
    private final Map<String, String> environment;

    private Settings(Map<String, Object> values, Map<String, String> environment) {
        this.left = new TreeMap<>(values);
        this.environment = environment;
    }

    /** Reads a file; an empty one is an empty map. */
    public static Settings read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new SettingsException("cannot read " + file + ": " + e.getMessage());
        }
    }

    public static Settings parse(String yaml) {
        return parse(yaml, System.getenv());
    }

    static Settings parse(String yaml, Map<String, String> environment) {
        Object root;
        try {
            root = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        } catch (YamlEngineException e) {
            throw new SettingsException("not valid YAML: " + e.getMessage());
        }
        if (root == null) {
            return new Settings(Map.of(), environment);
        }
        if (!(root instanceof Map<?, ?> map)) {
            throw new SettingsException("expected a map of keys and values");
        }
        Map<String, Object> values = new TreeMap<>();
        map.forEach((key, value) -> values.put(String.valueOf(key), value));
        return new Settings(values, environment);
    }

    /** {@code true}, {@code false}, {@code 'true'} or {@code 'false'} (F2). */
    public boolean flag(String key, boolean otherwise) {
        return take(key, "true or false", text -> switch (text) {
                    case "true" -> Optional.of(true);
                    case "false" -> Optional.of(false);
                    default -> Optional.empty();
                })
                .orElse(otherwise);
    }

    public int number(String key, int otherwise, int least, int most) {
        String accepts = "a whole number from " + least + " to " + most;
        return take(key, accepts, text -> wholeNumber(text).filter(n -> n >= least && n <= most))
                .orElse(otherwise);
    }

    /** Seconds as a whole number, or with one of the units ms, s, m: {@code 250ms}, {@code 30s}. */
    public Duration duration(String key, Duration otherwise) {
        return take(key, "a duration such as 250ms, 30s or 5m", Settings::parseDuration)
                .orElse(otherwise);
    }

    /** One of the given words. */
    public String word(String key, String otherwise, String... accepted) {
        return take(
                        key,
                        "one of " + String.join(", ", accepted),
                        text -> Arrays.asList(accepted).contains(text)
                                ? Optional.of(text)
                                : Optional.empty())
                .orElse(otherwise);
    }

    /** Any text that is not empty. */
    public Optional<String> text(String key) {
        return take(key, "a text", text -> text.isEmpty() ? Optional.empty() : Optional.of(text));
    }

    /** Names out of the given ones that are present; they are taken and mean nothing. */
    public List<String> ignore(Collection<String> keys) {
        return new TreeSet<>(keys)
                .stream().filter(key -> left.remove(key) != null).toList();
    }

    /** Refuses the first key that nobody took. */
    public void requireAllTaken() {
        if (!left.isEmpty()) {
            throw new SettingsException(
                    "unknown key " + left.keySet().iterator().next());
        }
    }

    private <T> Optional<T> take(String key, String accepts, Function<String, Optional<T>> parse) {
        if (!left.containsKey(key)) {
            return Optional.empty();
        }
        String text = expand(key, String.valueOf(left.remove(key)));
        Optional<T> value = parse.apply(text);
        if (value.isEmpty()) {
            throw new SettingsException(key + " is " + text + "; it takes " + accepts);
        }
        return value;
    }

    private String expand(String key, String text) {
        return VARIABLE.matcher(text).replaceAll(variable -> {
            String value = environment.get(variable.group(1));
            if (value == null) {
                throw new SettingsException(
                        key + " is " + text + "; the environment has no " + variable.group(1));
            }
            return Matcher.quoteReplacement(value);
        });
    }

    private static Optional<Integer> wholeNumber(String text) {
        try {
            return Optional.of(Integer.valueOf(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> parseDuration(String text) {
        String unit = text.replaceFirst("^[0-9]+", "");
        Optional<Integer> count = wholeNumber(text.substring(0, text.length() - unit.length()));
        return switch (unit) {
            case "ms" -> count.map(Duration::ofMillis);
            case "s", "" -> count.map(Duration::ofSeconds);
            case "m" -> count.map(Duration::ofMinutes);
            default -> Optional.empty();
        };
    }
}
