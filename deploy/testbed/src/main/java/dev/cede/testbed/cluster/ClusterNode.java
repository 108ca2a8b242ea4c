package dev.cede.testbed.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A node of the real cluster: its kubelet, its containerd and its simulated cards, in a mount
 * namespace of its own in which {@code /var/lib/kubelet} is this node's.
 *
 * @param name as the Node object is called
 * @param folder what belongs to the node; the same path inside its mount namespace
 * @param script the command that brought the cluster up
 */
public record ClusterNode(String name, Path folder, Path script) {
    /** Kubelet's directory of device plugins, as it is seen from outside the node. */
    public Path devicePluginDirectory() {
        return folder.resolve("kubelet/device-plugins");
    }

    public Path podResourcesSocket() {
        return folder.resolve("kubelet/pod-resources/kubelet.sock");
    }

    /**
     * The folder of its simulated cards, which every container of the node finds at the same path,
     * named in NVML_SIM_DIR, as the NVIDIA runtime shows a container the driver.
     */
    public Path cards() {
        return folder.resolve("cards");
    }

    public Path kubeletLog() {
        return folder.resolve("kubelet.log");
    }

    /** A command that runs the given one in the node's mount namespace. */
    public List<String> inside(List<String> command) {
        List<String> whole = new ArrayList<>(
                List.of("nsenter", "--mount", "--target", keeper(), "--wdns=/", "--"));
        whole.addAll(command);
        return whole;
    }

    /** PID of the process that keeps the mount namespace. */
    private String keeper() {
        try {
            return Files.readString(folder.resolve("keeper.pid")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("node " + name + " is not up", e);
        }
    }

    /** Ends kubelet's process; its containers go on. Returns when it has ended. */
    public void stopKubelet() {
        call("stop");
    }

    /** Starts a stopped kubelet, and returns when it answers its health check. */
    public void startKubelet() {
        call("start");
    }

    private void call(String verb) {
        List<String> command = List.of(script.toString(), "kubelet", verb, name);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + script, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while kubelet of " + name + ' ' + verb, e);
        }
    }
}
