package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletBooks;
import dev.cede.deviceplugin.Offer;
import dev.cede.model.Epoch;
import dev.cede.model.Order;

import java.util.List;

/** Something the agent learns. */
public sealed interface NodeEvent {
    /** A coordinator's order. */
    record Ordered(Epoch epoch, String orderId, Order order) implements NodeEvent {}

    /** A stream to a coordinator stands. */
    record Connected() implements NodeEvent {}

    record Disconnected() implements NodeEvent {}

    /** The answer to {@link NodeEffect.ReadDriver}. */
    record DriverRead(DriverReading reading) implements NodeEvent {}

    record DriverFailed(long ticket, String reason) implements NodeEvent {}

    /** The answer to {@link NodeEffect.ReadKubelet}. */
    record KubeletRead(KubeletBooks books) implements NodeEvent {}

    record KubeletUnreadable(String reason) implements NodeEvent {}

    /** A kubelet is there that was not before, started so long ago. */
    record KubeletStarted(long ageMillis) implements NodeEvent {}

    /** Kubelet opened or closed its stream of a resource. */
    record Listening(DeviceKind kind, boolean open) implements NodeEvent {}

    /** Kubelet's calls; {@code call} names the one to answer. */
    sealed interface Call extends NodeEvent {
        long call();
    }

    record Prefer(long call, DeviceKind kind, List<Offer> offers) implements Call {}

    record Allocate(long call, DeviceKind kind, List<List<String>> requests) implements Call {}

    record PreStart(long call, DeviceKind kind, List<String> ids) implements Call {}

    /** Time has passed. */
    record Tick() implements NodeEvent {}
}
