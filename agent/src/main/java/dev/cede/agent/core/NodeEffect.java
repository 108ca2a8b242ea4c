package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.DeviceLists;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.CardId;
import dev.cede.model.NodeReport;
import dev.cede.model.OrderResult;

import java.util.List;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** Something the agent does, in the order given. */
public sealed interface NodeEffect {
    /**
     * First of a step's effects: unless it succeeds, the step has not happened and none of its
     * other effects is carried out.
     */
    record Save(Checkpoint checkpoint) implements NodeEffect {}

    /** The node as it is now, for the coordinator and for whoever watches. */
    record Publish(NodeReport report, NodeLedger ledger) implements NodeEffect {}

    record SendResult(OrderResult result) implements NodeEffect {}

    /** Tells the coordinator of a container that kubelet was refused; nobody knows whose. */
    record SendRefused(String reason) implements NodeEffect {}

    /**
     * Reads driver and processes; answered by {@link NodeEvent.DriverRead}.
     *
     * @param pods whose live processes are wanted too
     */
    record ReadDriver(long ticket, SortedSet<String> pods) implements NodeEffect {}

    record ReadKubelet() implements NodeEffect {}

    record PublishDevices(DeviceLists lists) implements NodeEffect {}

    /** The directory that a container will see its limits in; it may be there already. */
    record MakeLimits(String name) implements NodeEffect {}

    record WriteLimits(String name, Limits limits) implements NodeEffect {}

    record ForgetLimits(String name) implements NodeEffect {}

    record AnswerPreferred(long call, List<List<String>> ids) implements NodeEffect {}

    record AnswerAllocated(long call, List<Granted> grants) implements NodeEffect {}

    /** Only where the limits of that name, if any, are written. */
    record AnswerStarted(long call, String limitName) implements NodeEffect {}

    record RefuseCall(long call, String reason) implements NodeEffect {}

    /** One line, key=value. */
    record Log(String line) implements NodeEffect {}

    /**
     * What a container is granted of one resource.
     *
     * @param limitName the directory of the limits; for memory only
     * @param size devices on each of the cards
     */
    record Granted(DeviceKind kind, List<CardId> cards, int size, String limitName) {}

    /**
     * A container's limits, as its limit file says them: the same on each of its cards.
     *
     * @param corePercentage 0 for no limit
     * @param cards in the file by commas, as in {@code NVIDIA_VISIBLE_DEVICES}
     */
    record Limits(long memoryMib, int corePercentage, String container, List<CardId> cards) {
        public Limits {
            cards = List.copyOf(cards);
        }

        public String text() {
            return "memory_mib=" + memoryMib + "\ncore_percentage=" + corePercentage
                    + "\ncontainer=" + container + "\ncard="
                    + cards.stream().map(CardId::uuid).collect(Collectors.joining(",")) + "\n";
        }
    }
}
