package dev.cede.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sandbox as a person starts it: its own process, with all others below it. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class SandboxIT {
    private static final Duration ENOUGH = Duration.ofMinutes(1);

    /** Short: unix sockets lie below it. */
    @TempDir
    private Path temp;

    private Optional<Process> running = Optional.empty();

    @AfterEach
    void end() {
        running.ifPresent(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Dcede.sandbox.scenarios=scenarios",
                "-Djava.io.tmpdir=" + temp,
                "-cp",
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.cede.sandbox.Main"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        running = Optional.of(process);
        return process;
    }

    private record Run(int status, String text) {
        /** Texts in this order, with whatever between them; lines are joined. */
        void assertTells(String... texts) {
            int from = 0;
            for (String wanted : texts) {
                int at = text.indexOf(wanted, from);
                assertTrue(at >= 0, () -> "does not tell \"" + wanted + "\":\n" + text);
                from = at + wanted.length();
            }
        }
    }

    private Run play(String... arguments) throws IOException, InterruptedException {
        Process process = start(arguments);
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), text);
    }

    /** V01, D2, E8, E9, E11. */
    @Test
    void withTheSwitchOnTheImportantOneTakesTheCardAndGivesItBack() throws Exception {
        Run run = play("--switch", "on");
        assertEquals(0, run.status(), run.text());
        run.assertTells(
                "OK     low-",
                "is Running on n0/c0",
                "OK     high-",
                "is Pending with nominated node n0",
                "is leaving with condition DisruptionTarget",
                "OK     the share of low-",
                "OK     high-",
                "is Running on n0/c0",
                "is Pending",
                "DO     delete deployment/high",
                "OK     low-",
                "is Running on n0/c0",
                "expectations of");
        assertTrue(run.text().lines().allMatch(line -> line.length() <= 80), run.text());
        assertFalse(run.text().contains("\u001b"), "no colours where there is no terminal");
        assertNothingLeft(List.of());
    }

    /** V01, D5, F2. */
    @Test
    void withTheSwitchOffNobodyIsEvictedUntilItIsTurnedOn() throws Exception {
        Run run = play("--switch", "off");
        assertEquals(0, run.status(), run.text());
        run.assertTells(
                "OK     high-",
                "is Pending because",
                "OK     nobody was evicted",
                "DO     set {enable_topology_aware_preemption=true}",
                "is leaving with condition DisruptionTarget",
                "is Running on n0/c0");
    }

    /** E9: the driver's half, with a process that outlives its container's final phase. */
    @Test
    void aProcessThatOutlivesItsContainerKeepsTheWinnerWaiting() throws Exception {
        Run run = play("--scenario", "scenarios/stubborn-victim");
        assertEquals(0, run.status(), run.text());
        run.assertTells("low-", "Succeeded", "kept by", "OK     the share of low-", "OK     high-");
    }

    /** A1–A9, A11, A12: each bad input has its own sentence. */
    @Test
    void whatCannotBePlacedSaysSo() throws Exception {
        Run run = play("--scenario", "scenarios/bad-input");
        assertEquals(0, run.status(), run.text());
    }

    /** V01. */
    @Test
    void deletingOnlyTheImportantPodBringsTheImportantOneBack() throws Exception {
        Run run = play("--scenario", "scenarios/pod-deleted");
        assertEquals(0, run.status(), run.text());
    }

    /** E1: a card of each of three nodes. */
    @Test
    void aWorkloadOfThreeIsPlacedWhole() throws Exception {
        Run run = play("--scenario", "scenarios/three-replicas");
        assertEquals(0, run.status(), run.text());
        run.assertTells("OK     3 pods of high are Running");
    }

    /** V06, B60. */
    @Test
    void aWorkloadWhoseThirdPodHasNoPlaceEvictsNobody() throws Exception {
        Run run = play("--scenario", "scenarios/third-without-place");
        assertEquals(0, run.status(), run.text());
        run.assertTells("OK     nobody was evicted", "OK     3 pods of high are Running");
    }

    /** A8, V05. */
    @Test
    void aPodOverTwoCardsTakesTheTwoFullestAndOnlyTheVictimsItNeeds() throws Exception {
        Run run = play("--scenario", "scenarios/two-cards");
        assertEquals(0, run.status(), run.text());
        run.assertTells("OK     nobody was evicted", "OK     the share of wide-");
    }

    /** A11: on a card that is too small the first step is not seen, and the reason is told. */
    @Test
    void whatDoesNotHappenEndsWithTheStepThatWasNotSeen() throws Exception {
        Path low = Path.of("../examples/10-low.yaml");
        Files.copy(low, temp.resolve("10-low.yaml"));
        Files.writeString(temp.resolve("expect.yaml"), """
                title: too small a card
                steps:
                  - apply: 10-low.yaml
                    see:
                      - { pod: low, is: pending, because: [64 units, "62", 210 MiB] }
                      - { pod: low, is: running, within: 1 }
                """);
        Run run = play("--reserved-mib", "210", "--scenario", temp.toString());
        assertEquals(1, run.status(), run.text());
        run.assertTells("FAILED Step 1, not seen within 1 s: pod low is running");
    }

    @Test
    void badArgumentsAndScenariosAreOneSentenceAndStatusTwo() throws Exception {
        Run arguments = play("--nodes", "none");
        assertEquals(2, arguments.status());
        assertEquals(
                "sandbox: --nodes takes a whole number from 1 to 8, not none.",
                arguments.text().strip());
        Run scenario = play("--scenario", temp.resolve("none").toString());
        assertEquals(2, scenario.status());
        assertTrue(scenario.text().startsWith("sandbox: The scenario folder "), scenario.text());
    }

    @Test
    void stoppedItEndsAllProcessesAndLeavesNoFile() throws Exception {
        Process process = start("--stay", "--nodes", "2");
        List<ProcessHandle> below = new ArrayList<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.contains("is Running on")) {
                line = lines.readLine();
            }
            below.addAll(process.descendants().toList());
            assertTrue(below.size() >= 4, "coordinator, two agents and a container: " + below);
            interrupt(process);
            lines.lines().forEach(rest -> {});
        }
        assertTrue(process.waitFor(ENOUGH.toSeconds(), TimeUnit.SECONDS));
        assertNothingLeft(below);
    }

    /** As Ctrl-C does, by a signal that a process in the background does not inherit as ignored. */
    private static void interrupt(Process process) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start();
        assertEquals(0, kill.waitFor());
    }

    private void assertNothingLeft(Collection<ProcessHandle> processes) throws Exception {
        for (ProcessHandle process : processes) {
            process.onExit().get(ENOUGH.toSeconds(), TimeUnit.SECONDS);
        }
        try (Stream<Path> files = Files.list(temp)) {
            List<String> runs = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("cede-"))
                    .toList();
            assertEquals(List.of(), runs);
        }
    }
}
