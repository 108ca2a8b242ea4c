package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.SandboxException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A program of ours in a process of its own: same JDK, same class path, output in a file. */
final class ChildJvm implements AutoCloseable {
    private static final int LINES_TOLD = 3;
    private static final long GRACE_SECONDS = 3;

    /** A small program on a machine it shares with others of its kind. */
    private static final List<String> FLAGS = List.of(
            "-Xmx192m",
            "-Xss512k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED");

    /**
     * What is to run.
     *
     * @param name in sentences
     * @param log what it says is added to this file
     * @param place makes of a command one that runs where the program is to run
     */
    record Program(
            String name, String main, Path config, Path log, UnaryOperator<List<String>> place) {}

    private final Program program;
    private final Process process;
    private volatile boolean closing;

    private ChildJvm(Program program, Process process) {
        this.program = program;
        this.process = process;
    }

    /** @param onEnd told in a sentence if it ends before it is closed */
    static ChildJvm start(Program program, Consumer<String> onEnd) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", classPath(), program.main()));
        command.addAll(List.of("--config", program.config().toString()));
        try {
            Process process = new ProcessBuilder(program.place().apply(command))
                    .redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(program.log().toFile()))
                    .start();
            ChildJvm child = new ChildJvm(program, process);
            var unused = process.onExit().thenAccept(ended -> child.tell(onEnd));
            return child;
        } catch (IOException e) {
            throw new SandboxException(program.name() + " does not start: " + e.getMessage(), e);
        }
    }

    /** Surefire hides the real one behind a jar that names it. */
    private static String classPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private void tell(Consumer<String> onEnd) {
        if (!closing) {
            onEnd.accept("%s ended with exit code %d; its log %s ends: %s"
                    .formatted(program.name(), process.exitValue(), program.log(), lastLines()));
        }
    }

    private String lastLines() {
        try {
            List<String> lines = Files.readString(program.log(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            int from = Math.max(0, lines.size() - LINES_TOLD);
            return String.join(" / ", lines.subList(from, lines.size()));
        } catch (IOException e) {
            return "(unreadable)";
        }
    }

    /** Kills it, and returns when it is dead. */
    void kill() {
        closing = true;
        process.destroyForcibly().onExit().join();
    }

    /** Stops it where it stands, sockets open. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        String pid = Long.toString(process.pid());
        try {
            int status = new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
            if (status != 0) {
                throw new SandboxException(program.name() + " takes no signal " + name);
            }
        } catch (IOException e) {
            throw new SandboxException("There is no kill: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException("Interrupted at signal " + name, e);
        }
    }

    /** Asks it to end; {@link #close} then waits for that. */
    void terminate() {
        closing = true;
        process.destroy();
    }

    @Override
    public void close() {
        terminate();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
