package dev.cede.sandbox.machine;

import dev.cede.sandbox.kubernetes.GpuNode;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A node's agent, in a process of its own on that node. */
final class AgentProcess implements AutoCloseable {
    private static final String MAIN = "dev.cede.agent.Main";

    private final ChildJvm.Program program;
    private final String address;
    private Optional<ChildJvm> process = Optional.empty();

    private AgentProcess(ChildJvm.Program program, String address) {
        this.program = program;
        this.address = address;
    }

    /**
     * Writes its configuration.
     *
     * @param link keys about its coordinators, and how it reaches them
     * @param address where it will listen
     */
    static AgentProcess of(
            GpuNode node, RunFolder files, Map<String, String> link, String address) {
        String file = "agent-" + node.name();
        Path config = files.writeConfig(file + ".yaml", config(node, link, address));
        return new AgentProcess(
                new ChildJvm.Program(
                        "The agent of " + node.name(),
                        MAIN,
                        config,
                        files.file(file + ".log"),
                        node.inside()),
                address);
    }

    private static Map<String, String> config(
            GpuNode node, Map<String, String> link, String address) {
        Map<String, String> config = new TreeMap<>(link);
        config.put("node_name", node.name());
        config.put("state_dir", node.agentState().toString());
        config.put("device_plugin_dir", node.devicePlugins().toString());
        config.put("pod_resources_socket", node.podResources().toString());
        config.put("proc_root", node.procRoot().toString());
        config.put("nvml_library", node.cards().library().toString());
        config.put("listen", address);
        return config;
    }

    void start(Consumer<String> onEnd) {
        process = Optional.of(ChildJvm.start(program, onEnd));
    }

    /** Where its service is. */
    String address() {
        return address;
    }

    /** Kills it, so that it can tidy up nothing; returns when it is dead. */
    void kill() {
        process.ifPresent(ChildJvm::kill);
    }

    void pause() {
        process.ifPresent(ChildJvm::pause);
    }

    void resume() {
        process.ifPresent(ChildJvm::resume);
    }

    /** Asks it to end, without waiting. */
    void terminate() {
        process.ifPresent(ChildJvm::terminate);
    }

    @Override
    public void close() {
        process.ifPresent(ChildJvm::close);
    }
}
