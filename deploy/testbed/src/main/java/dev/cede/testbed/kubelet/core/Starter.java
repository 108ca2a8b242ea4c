package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.Allocation.Progress;
import dev.cede.testbed.kubelet.core.ContainerEntry.Stage;
import dev.cede.testbed.kubelet.core.Plugins.Endpoint;
import dev.cede.testbed.kubelet.core.PodStatusView.State;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Brings one container up: PreStartContainer for each resource whose plugin asked for it, devices it
 * lacks, then the runtime. What fails is tried again later; the pod does not fail by it.
 */
final class Starter {
    private record PreStart(String podUid, String container) {}

    private final Devices devices;
    private final Plugins plugins;
    private final Allocator allocator;
    private final Picker picker;
    private final Random ids;
    private final Map<Long, PreStart> calls = new LinkedHashMap<>();
    private long lastCall;

    Starter(Devices devices, Plugins plugins, Allocator allocator, Picker picker, Random ids) {
        this.devices = devices;
        this.plugins = plugins;
        this.allocator = allocator;
        this.picker = picker;
        this.ids = ids;
    }

    /** The result of one step: empty while a plugin is waited for and once the runtime has it. */
    Optional<String> begin(PodEntry pod, ContainerEntry container, Outbox out) {
        container.stage = Stage.PREPARING;
        container.preStarts.clear();
        container.preStarts.addAll(picker.shuffled(container.spec.limits().keySet().stream()
                .filter(devices::known)
                .filter(resource -> container.spec.limits().get(resource) > 0)
                .toList()));
        return nextPreStart(pod, container, out);
    }

    private boolean lacksDevices(PodEntry pod, ContainerEntry container) {
        return container.spec.limits().entrySet().stream()
                .filter(limit -> limit.getValue() > 0 && devices.known(limit.getKey()))
                .anyMatch(limit -> devices.grant(
                                pod.spec.uid(), container.spec.name(), limit.getKey())
                        .isEmpty());
    }

    /** Goes on after the missing devices were asked for. */
    Optional<String> allocated(
            PodEntry pod, ContainerEntry container, Progress progress, Outbox out) {
        return switch (progress) {
            case Progress.Waiting waiting -> Optional.empty();
            case Progress.Failed failed -> Optional.of(failed.why());
            case Progress.Done done -> launch(pod, container, out);
        };
    }

    private Optional<String> nextPreStart(PodEntry pod, ContainerEntry container, Outbox out) {
        while (!container.preStarts.isEmpty()) {
            String resource = container.preStarts.remove();
            Optional<Endpoint> endpoint = plugins.endpoint(resource);
            if (endpoint.isEmpty()) {
                return Optional.of(
                        "endpoint not found in cache for a registered resource: " + resource);
            }
            if (!endpoint.get().options().preStart()) {
                continue;
            }
            Optional<Grant> grant = devices.grant(pod.spec.uid(), container.spec.name(), resource);
            if (grant.isEmpty()) {
                return Optional.of(
                        "no devices found allocated in local cache for pod %s, container %s, resource %s"
                                .formatted(pod.spec.uid(), container.spec.name(), resource));
            }
            calls.put(++lastCall, new PreStart(pod.spec.uid(), container.spec.name()));
            List<String> order = picker.shuffled(grant.get().ids());
            out.add(new Effect.AskPreStart(lastCall, endpoint.get().client(), order));
            return Optional.empty();
        }
        return lacksDevices(pod, container)
                ? allocated(
                        pod,
                        container,
                        allocator.advance(
                                allocator.begin(
                                        pod.spec, container.spec, container.ranAtStart, true),
                                out),
                        out)
                : launch(pod, container, out);
    }

    /** Who waits for this PreStartContainer: pod UID and container name. */
    Optional<Map.Entry<String, String>> answered(long call) {
        PreStart preStart = calls.remove(call);
        return Optional.ofNullable(preStart).map(who -> Map.entry(who.podUid(), who.container()));
    }

    Optional<String> preStarted(
            PodEntry pod, ContainerEntry container, Optional<String> error, Outbox out) {
        return error.isPresent()
                ? Optional.of("device plugin PreStartContainer rpc failed with err: " + error.get())
                : nextPreStart(pod, container, out);
    }

    private Optional<String> launch(PodEntry pod, ContainerEntry container, Outbox out) {
        ResponseMerge merge = new ResponseMerge((what, key) ->
                out.add(new Effect.MergeConflict(pod.spec.id(), container.spec.name(), what, key)));
        SortedMap<String, Grant> grants = devices.grantsOf(pod.spec.uid())
                .getOrDefault(container.spec.name(), new TreeMap<>());
        picker.shuffled(grants.values()).forEach(grant -> merge.add(grant.response()));
        if (container.state instanceof State.Terminated ended) {
            container.last = Optional.of(ended);
        }
        if (container.last.isPresent()) {
            container.restarts++;
        }
        container.containerId = newId();
        container.stage = Stage.LAUNCHED;
        out.add(new Effect.StartContainer(new ContainerLaunch(
                pod.spec.id(),
                pod.spec.qos(),
                container.spec,
                container.containerId,
                merge.env(container.spec.env()),
                merge.mounts(),
                merge.devices())));
        return Optional.empty();
    }

    /** A container ID as containerd makes them: 64 hex digits. */
    private String newId() {
        StringBuilder id = new StringBuilder();
        while (id.length() < 64) {
            id.append("%016x".formatted(ids.nextLong()));
        }
        return id.toString();
    }
}
