package dev.cede.sandbox;

import dev.cede.sandbox.scenario.Scenario;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/**
 * What the sandbox is asked to do.
 *
 * @param nodes 1..8; each is a process of its own; empty leaves it to the scenario
 * @param cards cards of each node, 1..16; empty leaves it to the scenario
 * @param cardMib memory of each card in MiB, 128 (one unit) .. 2097152 (the most a share can ask)
 * @param reservedMib what the driver keeps of it for itself, less than all
 * @param switchOn {@code enable_topology_aware_preemption} at the start; empty leaves it to the
 *     scenario
 * @param scenario a folder with manifests and an expect.yaml; empty is the documented example
 */
record Arguments(
        Optional<Integer> nodes,
        Optional<Integer> cards,
        int cardMib,
        int reservedMib,
        Optional<Boolean> switchOn,
        boolean stay,
        Optional<Path> scenario,
        boolean help) {

    static final String USAGE = """
            Usage: deploy/sandbox/run [option ...]

            Runs ZooKeeper, a Kubernetes API, a coordinator, and nodes with simulated cards
            on this machine, plays a scenario on them, and says what it saw.

              --nodes N          nodes, 1..8 (default 1)
              --cards N          cards of each node, 1..16 (default 1)
              --card-mib M       memory of a card in MiB, 128..2097152 (default 8192)
              --reserved-mib R   what the driver keeps of it, 0..M-1 (default 0)
              --switch on|off    enable_topology_aware_preemption at the start (default on)
              --scenario DIR     numbered manifests and an expect.yaml instead of the
                                 documented example; DIR/expect.yaml may set switch,
                                 nodes and cards
              --stay             keep everything up afterwards, and tell how to reach it
              --help             this text

            Exit status: 0 all that was expected was seen; 1 something was not; 2 bad
            arguments or scenario, or a tool is missing.
            """;

    private static final int UNIT_MIB = 128;
    private static final int MOST_MIB = 16_384 * UNIT_MIB;

    /** Reads the command line; the message of what it throws names the option. */
    static Arguments parse(String... words) {
        Draft draft = new Draft();
        Deque<String> left = new ArrayDeque<>(Arrays.asList(words));
        while (!left.isEmpty()) {
            draft.take(left);
        }
        return draft.finish();
    }

    private static final class Draft {
        private Optional<Integer> nodes = Optional.empty();
        private Optional<Integer> cards = Optional.empty();
        private int cardMib = 8192;
        private int reservedMib;
        private Optional<Boolean> switchOn = Optional.empty();
        private Optional<Path> scenario = Optional.empty();
        private boolean stay;
        private boolean help;

        void take(Deque<String> words) {
            String word = words.removeFirst();
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            if (equals > 0) {
                words.addFirst(word.substring(equals + 1));
                word = word.substring(0, equals);
            }
            switch (word) {
                case "--nodes" -> nodes = Optional.of(number(word, words, 1, Scenario.MOST_NODES));
                case "--cards" -> cards = Optional.of(number(word, words, 1, Scenario.MOST_CARDS));
                case "--card-mib" -> cardMib = number(word, words, UNIT_MIB, MOST_MIB);
                case "--reserved-mib" -> reservedMib = number(word, words, 0, MOST_MIB);
                case "--switch" -> switchOn = Optional.of(onOrOff(word, words));
                case "--scenario" ->
                    scenario = Optional.of(Path.of(value(word, words, "a folder")));
                case "--stay" -> stay = alone(word, equals);
                case "--help", "-h" -> help = alone(word, equals);
                default ->
                    throw new UsageException(word + " is not an option; --help names all of them.");
            }
        }

        private static boolean alone(String option, int equals) {
            if (equals > 0) {
                throw new UsageException(option + " takes no value.");
            }
            return true;
        }

        private static int number(String option, Deque<String> words, int least, int most) {
            String accepts = "a whole number from " + least + " to " + most;
            String text = value(option, words, accepts);
            try {
                int number = Integer.parseInt(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Told below, as a number out of range is.
            }
            throw new UsageException("%s takes %s, not %s.".formatted(option, accepts, text));
        }

        private static boolean onOrOff(String option, Deque<String> words) {
            String text = value(option, words, "on or off");
            return switch (text) {
                case "on" -> true;
                case "off" -> false;
                default -> throw new UsageException(option + " takes on or off, not " + text + ".");
            };
        }

        private static String value(String option, Deque<String> words, String accepts) {
            String value = words.pollFirst();
            if (value == null || value.isEmpty()) {
                throw new UsageException(option + " takes " + accepts + ", and got nothing.");
            }
            return value;
        }

        Arguments finish() {
            if (reservedMib >= cardMib) {
                throw new UsageException("--reserved-mib takes less than --card-mib (%d), not %d."
                        .formatted(cardMib, reservedMib));
            }
            return new Arguments(
                    nodes, cards, cardMib, reservedMib, switchOn, stay, scenario, help);
        }
    }
}
