package dev.cede.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent as its own process, as on a node. */
final class AgentProcess implements AutoCloseable {
    private static final Pattern LISTEN = Pattern.compile("event=started .*listen=(\\S+)");

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    AgentProcess(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(arguments);
        this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
        this.reader = new Thread(this::read, "agent-output");
        reader.setDaemon(true);
        reader.start();
    }

    static AgentProcess with(AgentConfig config, Path file) throws IOException {
        Files.writeString(file, """
                node_name: %s
                coordinators: %s
                insecure: true
                state_dir: %s
                device_plugin_dir: %s
                pod_resources_socket: %s
                proc_root: %s
                device_root: %s
                nvml_library: %s
                listen: 127.0.0.1:0
                unplanned_pods: refuse
                poll_interval: 250ms
                release_poll_interval: 50ms
                max_shares_per_card: 20
                """.formatted(
                        config.node(),
                        String.join(",", config.coordinators()),
                        config.stateDirectory(),
                        config.devicePluginDirectory(),
                        config.podResourcesSocket(),
                        config.procRoot(),
                        config.deviceRoot(),
                        config.nvmlLibrary()));
        return new AgentProcess(List.of("--config", file.toString()));
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (this) {
                    lines.add(line);
                    notifyAll();
                }
            }
        } catch (IOException e) {
            synchronized (this) {
                lines.add("output ended: " + e);
            }
        }
    }

    synchronized String output() {
        return String.join("\n", lines);
    }

    /** Where its service listens, once it does. */
    synchronized String awaitAddress() throws InterruptedException {
        long end = System.nanoTime() + Rig.LIMIT.toNanos();
        while (System.nanoTime() < end) {
            Matcher found = LISTEN.matcher(output());
            if (found.find()) {
                return found.group(1);
            }
            wait(1_000);
        }
        throw new AssertionError("it did not start:\n" + output());
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(Rig.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end:\n" + output());
        }
        reader.join();
        return process.exitValue();
    }

    /** As SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** As SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
