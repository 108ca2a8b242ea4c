package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.testbed.kubelet.core.Allocation.Progress;
import dev.cede.testbed.kubelet.core.Choice.Wish;
import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.Plugins.Endpoint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Gives a container its devices: for each resource in random order, choose, then ask the plugin. */
final class Allocator {
    private final Devices devices;
    private final Plugins plugins;
    private final Picker picker;
    /** Empty while kubelet does not know all its pods: then nothing is freed. */
    private final Supplier<Optional<Set<String>>> activePods;

    private final Map<Long, Allocation> calls = new LinkedHashMap<>();
    private long lastCall;

    Allocator(
            Devices devices,
            Plugins plugins,
            Picker picker,
            Supplier<Optional<Set<String>>> activePods) {
        this.devices = devices;
        this.plugins = plugins;
        this.picker = picker;
        this.activePods = activePods;
    }

    /** A resource whose plugin has been away too long; a strange one is not lost. */
    boolean lost(String resource) {
        return devices.zero(resource);
    }

    Allocation begin(PodSpec pod, ContainerSpec container, boolean ranAtStart, boolean atStart) {
        devices.beginReuse(pod.uid());
        List<String> order = picker.shuffled(container.limits().keySet());
        return new Allocation(pod, container, ranAtStart, atStart, order);
    }

    /** The allocation that a plugin's answer belongs to; each call is answered once. */
    Optional<Allocation> answered(long call) {
        return Optional.ofNullable(calls.remove(call));
    }

    Progress advance(Allocation allocation, Outbox out) {
        while (!allocation.resources.isEmpty()) {
            String resource = allocation.resources.peek();
            if (devices.known(resource)) {
                freeOnce(allocation);
                Progress progress = step(allocation, choose(allocation, resource), out);
                if (!(progress instanceof Progress.Done)) {
                    return progress;
                }
            }
            allocation.resources.remove();
        }
        devices.updateReuse(
                allocation.pod.uid(),
                allocation.container.name(),
                allocation.container.kind() == Kind.INIT);
        if (allocation.granted) {
            out.add(new Effect.WriteCheckpoint(devices.checkpoint()));
        }
        return new Progress.Done();
    }

    private void freeOnce(Allocation allocation) {
        if (!allocation.freed) {
            allocation.freed = true;
            activePods.get().ifPresent(devices::free);
        }
    }

    private Choice choose(Allocation allocation, String resource) {
        Wish wish = new Wish(
                allocation.pod.uid(),
                allocation.container.name(),
                resource,
                allocation.container.limits().get(resource));
        boolean keepRunning = allocation.ranAtStart && activePods.get().isEmpty();
        boolean asks = plugins.endpoint(resource)
                .map(endpoint -> endpoint.options().preference())
                .orElse(false);
        return devices.choose(wish, keepRunning, asks);
    }

    private Progress step(Allocation allocation, Choice choice, Outbox out) {
        return switch (choice) {
            case Choice.Nothing nothing -> new Progress.Done();
            case Choice.Refused refused -> new Progress.Failed(refused.why());
            case Choice.Ask ask -> askPreference(allocation, ask, out);
            case Choice.Picked picked -> askAllocate(allocation, picked, out);
        };
    }

    private Progress askPreference(Allocation allocation, Choice.Ask ask, Outbox out) {
        allocation.open = ask.open();
        int size = Math.toIntExact(ask.open().wish.count());
        out.add(new Effect.AskPreference(
                newCall(allocation), client(allocation), ask.available(), ask.mustInclude(), size));
        return new Progress.Waiting();
    }

    private Progress askAllocate(Allocation allocation, Choice.Picked picked, Outbox out) {
        allocation.open = picked.open();
        allocation.picked = picked.ids();
        out.add(new Effect.AskAllocate(newCall(allocation), client(allocation), picked.ids()));
        return new Progress.Waiting();
    }

    private long newCall(Allocation allocation) {
        calls.put(++lastCall, allocation);
        return lastCall;
    }

    private long client(Allocation allocation) {
        return plugins.endpoint(allocation.resources.peek())
                .map(Endpoint::client)
                .orElse(0L);
    }

    Progress preferred(Allocation allocation, Answer<List<String>> answer, Outbox out) {
        Choice choice = answer.value()
                .map(ids -> devices.preferred(allocation.open, ids))
                .orElseGet(() -> devices.preferenceFailed(
                        allocation.open,
                        "device plugin GetPreferredAllocation rpc failed with err: "
                                + answer.error()));
        return step(allocation, choice, out);
    }

    Progress allocated(Allocation allocation, Answer<AllocateResponse> answer, Outbox out) {
        if (answer.value().isEmpty()) {
            devices.denied(allocation.open);
            return new Progress.Failed(answer.error());
        }
        AllocateResponse response = answer.value().get();
        if (response.getContainerResponsesCount() == 0) {
            devices.unanswered(allocation.open);
            return new Progress.Failed("no containers return in allocation response");
        }
        devices.granted(allocation.open, allocation.picked, response.getContainerResponses(0));
        allocation.granted = true;
        allocation.resources.remove();
        return advance(allocation, out);
    }
}
