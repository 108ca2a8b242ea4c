package dev.cede.sandbox.installed;

import dev.cede.testbed.cluster.TestCluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The cluster's kubectl, as somebody who may do everything. */
final class Kubectl {
    private final TestCluster cluster;

    Kubectl(TestCluster cluster) {
        this.cluster = cluster;
    }

    /** How it ended, and what it printed. */
    record Answer(int status, String text) {}

    /** What it prints; a failure is the test's. */
    String run(String... arguments) {
        Answer answer = ask(arguments);
        if (answer.status() != 0) {
            throw new AssertionError(
                    "kubectl " + String.join(" ", arguments) + ": " + answer.text());
        }
        return answer.text();
    }

    Answer ask(String... arguments) {
        Path program = cluster.folder().resolve("bin/kubectl");
        List<String> command = new ArrayList<>(
                List.of(program.toString(), "--kubeconfig", cluster.kubeconfig().toString()));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Answer(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
