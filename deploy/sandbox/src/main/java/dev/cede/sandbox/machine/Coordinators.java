package dev.cede.sandbox.machine;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The coordinators, each in a process of its own; one of them leads. */
final class Coordinators implements AutoCloseable {
    private static final String MAIN = "dev.cede.coordinator.Main";

    private final RunFolder files;
    private final List<String> addresses;
    private final Map<String, String> config;

    /** By address. */
    private final SortedMap<String, ChildJvm> started =
            Collections.synchronizedSortedMap(new TreeMap<>());

    /**
     * None runs yet.
     *
     * @param addresses where they will listen
     * @param config what is the same for all
     */
    Coordinators(RunFolder files, List<String> addresses, Map<String, String> config) {
        this.files = files;
        this.addresses = List.copyOf(addresses);
        this.config = new TreeMap<>(config);
    }

    List<String> addresses() {
        return addresses;
    }

    void start(String address, Consumer<String> onEnd) {
        String name = name(address);
        ChildJvm.Program program = new ChildJvm.Program(
                "The " + name,
                MAIN,
                write(address),
                files.file(name + ".log"),
                UnaryOperator.identity());
        started.put(address, ChildJvm.start(program, onEnd));
    }

    private String name(String address) {
        int index = addresses.indexOf(address);
        return index == 0 ? "coordinator" : "coordinator-" + (index + 1);
    }

    private Path write(String address) {
        Map<String, String> own = new TreeMap<>(config);
        own.put("listen", address);
        return files.writeConfig(name(address) + ".yaml", own);
    }

    /** Kills one, so that it can tidy up nothing; returns when it is dead. */
    void kill(String address) {
        started.get(address).kill();
    }

    /** Changes the configuration of all while they run. */
    void configure(Map<String, String> keys) {
        config.putAll(keys);
        addresses.forEach(this::write);
    }

    @Override
    public void close() {
        started.values().forEach(ChildJvm::terminate);
        started.values().forEach(ChildJvm::close);
    }
}
