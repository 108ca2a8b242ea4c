package dev.cede.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SettingsTest {
    private static String refusal(String yaml, Consumer<Settings> use) {
        return assertThrows(SettingsException.class, () -> use.accept(Settings.parse(yaml)))
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false", "\"'true'\", true", "\"'false'\", false"})
    void switchesTakeBothWordsWithAndWithoutQuotes_F2(String written, boolean value) {
        Settings settings = Settings.parse("enable: " + written.replace("\"", ""));
        assertEquals(value, settings.flag("enable", !value));
    }

    @Test
    void aSwitchTakesNothingElse_F2() {
        assertEquals(
                "enable is yes; it takes true or false",
                refusal("enable: yes", settings -> settings.flag("enable", true)));
    }

    @Test
    void numbersHaveARange() {
        assertEquals(7, Settings.parse("n: 7").number("n", 1, 1, 9));
        assertEquals(1, Settings.parse("").number("n", 1, 1, 9));
        for (String wrong : List.of("0", "10", "x", "1.5", "99999999999")) {
            assertEquals(
                    "n is " + wrong + "; it takes a whole number from 1 to 9",
                    refusal("n: " + wrong, settings -> settings.number("n", 1, 1, 9)));
        }
    }

    @ParameterizedTest
    @CsvSource({"250ms, 250", "30s, 30000", "30, 30000", "5m, 300000"})
    void durationsHaveAUnit(String written, long milliseconds) {
        assertEquals(
                Duration.ofMillis(milliseconds),
                Settings.parse("d: " + written).duration("d", Duration.ZERO));
    }

    @Test
    void otherDurationsAreRefused() {
        for (String wrong : List.of("5h", "-5s", "s", "1.5s", "99999999999s")) {
            assertEquals(
                    "d is " + wrong + "; it takes a duration such as 250ms, 30s or 5m",
                    refusal("d: " + wrong, settings -> settings.duration("d", Duration.ZERO)));
        }
    }

    @Test
    void wordsAndTextsAreTakenAsWritten() {
        Settings settings = Settings.parse("policy: spread\nname: a b\n");
        assertEquals("spread", settings.word("policy", "binpack", "binpack", "spread"));
        assertEquals(Optional.of("a b"), settings.text("name"));
        assertEquals(Optional.empty(), settings.text("other"));
        assertEquals(
                "policy is x; it takes one of binpack, spread",
                refusal("policy: x", s -> s.word("policy", "binpack", "binpack", "spread")));
    }

    @Test
    void anUnknownKeyIsNamed_F2() {
        Settings settings = Settings.parse("known: 1\ntypo: 2\n");
        settings.number("known", 0, 0, 9);
        assertEquals(
                "unknown key typo",
                assertThrows(SettingsException.class, settings::requireAllTaken).getMessage());
    }

    @Test
    void keysOfTheDocumentedProductAreIgnoredByName_F2() {
        Settings settings = Settings.parse("descheduler_enable: true\n");
        assertEquals(
                List.of("descheduler_enable"),
                settings.ignore(List.of("oversubscription_method", "descheduler_enable")));
        settings.requireAllTaken();
    }

    @Test
    void whatIsNoMapOrNoFileIsOneSentence() {
        assertEquals("expected a map of keys and values", refusal("- a\n- b\n", settings -> {}));
        assertTrue(refusal("a: [", settings -> {}).startsWith("not valid YAML: "));
        assertTrue(assertThrows(
                        SettingsException.class, () -> Settings.read(Path.of("/nonexistent/x")))
                .getMessage()
                .startsWith("cannot read /nonexistent/x"));
    }

    @Test
    void aVariableOfTheEnvironmentStandsInAValue() {
        Map<String, String> environment = Map.of("POD_IP", "10.1.2.3", "PORT", "70$1");
        Settings settings =
                Settings.parse("a: $(POD_IP):$(PORT)\nb: $POD_IP $(not one)", environment);
        assertEquals(Optional.of("10.1.2.3:70$1"), settings.text("a"));
        assertEquals(Optional.of("$POD_IP $(not one)"), settings.text("b"));
    }

    @Test
    void aVariableThatIsMissingIsRefused() {
        Settings settings = Settings.parse("node_name: $(NODE_NAME)", Map.of());
        assertEquals(
                "node_name is $(NODE_NAME); the environment has no NODE_NAME",
                assertThrows(SettingsException.class, () -> settings.text("node_name"))
                        .getMessage());
    }
}
