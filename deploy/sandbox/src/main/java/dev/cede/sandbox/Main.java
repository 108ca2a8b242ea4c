package dev.cede.sandbox;

import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.SandboxException;
import dev.cede.sandbox.kubernetes.StandIn;
import dev.cede.sandbox.machine.Machines;
import dev.cede.sandbox.picture.Ink;
import dev.cede.sandbox.play.Console;
import dev.cede.sandbox.play.Player;
import dev.cede.sandbox.scenario.Scenario;
import dev.cede.sandbox.scenario.ScenarioException;
import dev.cede.sandbox.scenario.ScenarioReader;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** The sandbox's process; {@code deploy/sandbox/run} builds and starts it. */
public final class Main {
    private static final int SEEN = 0;
    private static final int NOT_SEEN = 1;
    private static final int BAD_ARGUMENTS = 2;

    /** Set by the script; where the scenarios that come with the sandbox are. */
    private static final String SCENARIOS = "cede.sandbox.scenarios";

    /** Set by the script where the output is a terminal. */
    private static final String COLOUR = "cede.sandbox.colour";

    private Main() {}

    public static void main(String[] words) {
        // Libraries log into a file of the run, not between our lines.
        System.setProperty("logback.configurationFile", "sandbox-logback.xml");
        System.exit(statusOf(words));
    }

    /** Servers of this process have threads of their own, so not even a bug may leave it running. */
    private static int statusOf(String[] words) {
        try {
            return run(words);
        } catch (RuntimeException | Error e) {
            System.getLogger(Main.class.getName()).log(System.Logger.Level.ERROR, "bug", e);
            return NOT_SEEN;
        }
    }

    private static int run(String[] words) {
        try {
            Arguments arguments = Arguments.parse(words);
            if (arguments.help()) {
                System.out.print(Arguments.USAGE);
                return SEEN;
            }
            Scenario scenario = ScenarioReader.read(folder(arguments));
            return play(arguments, scenario);
        } catch (UsageException | ScenarioException e) {
            System.err.println("sandbox: " + e.getMessage());
            return BAD_ARGUMENTS;
        }
    }

    /** The documented example comes in two scenarios, one for each way the switch can stand. */
    private static Path folder(Arguments arguments) {
        String own = arguments.switchOn().orElse(true) ? "switch-on" : "switch-off";
        Path ours = Path.of(System.getProperty(SCENARIOS, "deploy/sandbox/scenarios"));
        return arguments.scenario().orElse(ours.resolve(own));
    }

    private static int play(Arguments arguments, Scenario scenario) {
        int nodes = arguments.nodes().or(scenario::nodes).orElse(1);
        CardSet cards = new CardSet(
                arguments.cards().or(scenario::cards).orElse(1),
                arguments.cardMib(),
                arguments.reservedMib());
        Console console = new Console(ink(), System.out::println);
        Machines machines = Machines.of(StandIn.of(nodes, cards), scenario.folder());
        AtomicBoolean keep = new AtomicBoolean();
        Thread cleanup = new Thread(() -> close(machines, keep.get()), "sandbox-cleanup");
        Runtime.getRuntime().addShutdownHook(cleanup);
        console.plain("Scenario: " + scenario.title());
        try {
            boolean switchOn = arguments.switchOn().or(scenario::switchOn).orElse(true);
            machines.start(switchOn);
            Player player = new Player(machines, console);
            player.ready("All parts are up, " + nodes + " of " + nodes
                    + " agents attached, the switch is " + (switchOn ? "on" : "off") + ".");
            boolean seen = player.play(scenario);
            keep.set(!seen);
            if (arguments.stay()) {
                Ways.to(machines).forEach(console::plain);
                player.follow();
            }
            return seen ? SEEN : NOT_SEEN;
        } catch (SandboxException e) {
            keep.set(true);
            System.err.println("sandbox: " + e.getMessage());
            return NOT_SEEN;
        }
    }

    private static void close(Machines machines, boolean keepFiles) {
        if (keepFiles) {
            machines.closeKeepingFiles();
            System.err.println("sandbox: logs are in " + machines.folder());
        } else {
            machines.close();
        }
    }

    private static Ink ink() {
        return Boolean.getBoolean(COLOUR) ? Ink.COLOUR : Ink.PLAIN;
    }
}
