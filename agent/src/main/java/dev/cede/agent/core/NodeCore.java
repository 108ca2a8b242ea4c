package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;

import java.util.List;

/** The node's state machine. */
public final class NodeCore {
    /** The routine look at kubelet's checkpoint, for differences. */
    private static final long RECONCILE_MILLIS = 10_000;

    private NodeCore() {}

    /** What comes of an event. */
    public record Step(NodeState state, List<NodeEffect> effects) {
        public Step {
            effects = List.copyOf(effects);
        }
    }

    /**
     * Takes one event.
     *
     * @param nowMillis on a clock that only goes forward
     */
    public static Step step(NodeState state, NodeEvent event, long nowMillis) {
        Turn turn = new Turn(state, nowMillis);
        boolean announce = false;
        switch (event) {
            case NodeEvent.Ordered order -> Orders.obey(turn, order);
            case NodeEvent.Connected connected -> announce = true;
            case NodeEvent.Disconnected disconnected -> turn.term = turn.term.welcomed(false);
            case NodeEvent.DriverRead read -> driverRead(turn, read.reading());
            case NodeEvent.DriverFailed failed -> driverFailed(turn, failed);
            case NodeEvent.KubeletRead read -> kubeletRead(turn, read);
            case NodeEvent.KubeletUnreadable unreadable -> kubeletUnreadable(turn, unreadable);
            case NodeEvent.KubeletStarted started -> turn.kubeletStarted(started.ageMillis());
            case NodeEvent.Listening listening -> listening(turn, listening);
            case NodeEvent.Call call -> Calls.answer(turn, call);
            case NodeEvent.Tick tick -> tick(turn);
        }
        return turn.finish(announce);
    }

    /** Cards do not leave a node all at once; a driver that shows none is not working (B11). */
    private static void driverRead(Turn turn, DriverReading reading) {
        if (reading.cards().isEmpty()) {
            driverFailed(turn, new NodeEvent.DriverFailed(reading.ticket(), "it shows no card"));
        } else {
            Release.driverRead(turn, reading);
        }
    }

    private static void driverFailed(Turn turn, NodeEvent.DriverFailed failed) {
        if (!failed.reason().equals(turn.driver.failure())) {
            turn.log("driver_unreadable", "reason=\"%s\"".formatted(failed.reason()));
        }
        turn.driver =
                turn.driver.failed(failed.reason(), turn.now + turn.settings().pollMillis());
    }

    private static void kubeletRead(Turn turn, NodeEvent.KubeletRead read) {
        if (turn.books.names().prefixes().isEmpty()) {
            turn.kubelet = turn.kubelet.finishedReading(false, turn.now);
            return;
        }
        turn.kubelet = turn.kubelet
                .finishedReading(true, turn.now + RECONCILE_MILLIS)
                .withWholeCards(read.books().wholeCards());
        Identity.kubeletRead(turn, read.books().entries());
        Calls.retryStarts(turn);
    }

    private static void kubeletUnreadable(Turn turn, NodeEvent.KubeletUnreadable unreadable) {
        turn.log("kubelet_checkpoint_unreadable", "reason=\"%s\"".formatted(unreadable.reason()));
        turn.kubelet =
                turn.kubelet.finishedReading(false, turn.now + turn.settings().pollMillis());
    }

    private static void listening(Turn turn, NodeEvent.Listening listening) {
        DeviceKind kind = listening.kind();
        turn.kubelet = turn.kubelet.listening(kind, listening.open());
    }

    private static void tick(Turn turn) {
        boolean pollDue = turn.driver.nextAt() <= turn.now;
        if (pollDue) {
            turn.readDriver();
        }
        Calls.expireStarts(turn);
        boolean unknown = Identity.urgent(turn) || !turn.kubelet.starts().isEmpty();
        if (turn.driver.read() && (unknown || turn.kubelet.nextReadAt() <= turn.now)) {
            turn.readKubelet();
        }
    }
}
