package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** One pod on this node. */
final class PodEntry {
    enum Stage {
        /** Its devices are being chosen. */
        ADMITTING,
        ADMITTED,
        /** Its processes are told to end, or have just ended; still active for the device books. */
        TERMINATING,
        /** The final phase is written: its devices may be given out again. */
        FINISHED,
        REJECTED
    }

    PodSpec spec;
    Stage stage = Stage.ADMITTING;
    Optional<Instant> started = Optional.empty();
    Optional<Instant> lastExit = Optional.empty();
    /** When the last of its containers are told to end, once it is ending. */
    Optional<Instant> graceEnd = Optional.empty();

    Optional<PodStatusView> written = Optional.empty();
    private final Map<String, ContainerEntry> containers = new LinkedHashMap<>();

    PodEntry(PodSpec spec, Function<ContainerSpec, Optional<Survivor>> survivors) {
        this.spec = spec;
        spec.containers()
                .forEach(container -> containers.put(
                        container.name(),
                        new ContainerEntry(container, survivors.apply(container))));
    }

    Collection<ContainerEntry> containers() {
        return containers.values();
    }

    Optional<ContainerEntry> container(String name) {
        return Optional.ofNullable(containers.get(name));
    }

    boolean anyAlive() {
        return containers.values().stream().anyMatch(ContainerEntry::alive);
    }

    static boolean awaitsSignal(ContainerEntry container) {
        return container.spec.kind() == Kind.SIDECAR
                && container.stage == ContainerEntry.Stage.RUNNING
                && !container.toldToEnd;
    }

    /** Whether neither an application container nor a later sidecar lives any more. */
    boolean servesNobody(ContainerEntry sidecar) {
        return containers.values().stream()
                .dropWhile(container -> container != sidecar)
                .skip(1)
                .filter(container -> container.spec.kind() != Kind.INIT)
                .noneMatch(ContainerEntry::alive);
    }

    /** Active pods keep their devices. */
    boolean active() {
        return stage != Stage.FINISHED && stage != Stage.REJECTED;
    }
}
