package dev.cede.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
    @Test
    void withoutAnyTheScenarioSaysHowManyCardsOf8192MibThereAre() {
        Arguments arguments = Arguments.parse();
        assertEquals(
                new Arguments(
                        Optional.empty(),
                        Optional.empty(),
                        8192,
                        0,
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        false),
                arguments);
    }

    @Test
    void everyOptionIsRead() {
        Arguments arguments = Arguments.parse(
                ("--nodes 3 --cards=2 --card-mib 16160 --reserved-mib 210 --switch off --stay"
                                + " --scenario a/b")
                        .split(" "));
        assertEquals(
                new Arguments(
                        Optional.of(3),
                        Optional.of(2),
                        16160,
                        210,
                        Optional.of(false),
                        true,
                        Optional.of(Path.of("a/b")),
                        false),
                arguments);
        assertTrue(Arguments.parse("--help").help());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--nodes 0|--nodes takes a whole number from 1 to 8, not 0.",
                "--nodes|--nodes takes a whole number from 1 to 8, and got nothing.",
                "--nodes=|--nodes takes a whole number from 1 to 8, and got nothing.",
                "--cards two|--cards takes a whole number from 1 to 16, not two.",
                "--card-mib 127|--card-mib takes a whole number from 128 to 2097152, not 127.",
                "--reserved-mib -1|--reserved-mib takes a whole number from 0 to 2097152, not -1.",
                "--reserved-mib 8192|--reserved-mib takes less than --card-mib (8192), not 8192.",
                "--switch yes|--switch takes on or off, not yes.",
                "--scenario|--scenario takes a folder, and got nothing.",
                "--stay=1|--stay takes no value.",
                "--node 1|--node is not an option; --help names all of them.",
                "here|here is not an option; --help names all of them."
            })
    void badArgumentsAreOneSentenceThatNamesTheOption(String words, String sentence) {
        UsageException refused =
                assertThrows(UsageException.class, () -> Arguments.parse(words.split(" ")));
        assertEquals(sentence, refused.getMessage());
    }

    @Test
    void theHelpFitsATerminalAndNamesEveryOption() {
        assertTrue(Arguments.USAGE.lines().allMatch(line -> line.length() <= 80));
        for (String option : new String[] {
            "--nodes", "--cards", "--card-mib", "--reserved-mib", "--switch", "--stay", "--scenario"
        }) {
            assertTrue(Arguments.USAGE.contains(option), option);
        }
    }
}
