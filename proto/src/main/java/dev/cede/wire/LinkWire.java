package dev.cede.wire;

import dev.cede.model.Epoch;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.v1.CoordinatorMessage;
import dev.cede.v1.Drop;
import dev.cede.v1.Free;
import dev.cede.v1.Move;
import dev.cede.v1.OrderRefusal;
import dev.cede.v1.Reserve;
import dev.cede.v1.Welcome;

/** The messages of the link between agent and coordinator. */
public final class LinkWire {
    private LinkWire() {}

    /** Puts an order into a message; the caller adds epoch and order id. */
    public static CoordinatorMessage.Builder write(Order order) {
        CoordinatorMessage.Builder message = CoordinatorMessage.newBuilder();
        return switch (order) {
            case Order.Welcome welcome -> message.setWelcome(write(welcome));
            case Order.Reserve reserve ->
                message.setReserve(Reserve.newBuilder()
                        .setReservation(ModelWire.write(reserve.reservation())));
            case Order.Move move ->
                message.setMove(Move.newBuilder()
                        .setFromPodUid(move.fromPodUid())
                        .setTo(ModelWire.write(move.to())));
            case Order.Drop drop -> message.setDrop(Drop.newBuilder().setPodUid(drop.podUid()));
            case Order.Free free ->
                message.setFree(Free.newBuilder().setPod(ModelWire.write(free.pod())));
        };
    }

    private static Welcome write(Order.Welcome welcome) {
        Welcome.Builder builder = Welcome.newBuilder();
        welcome.wanted().forEach(r -> builder.addWanted(ModelWire.write(r)));
        welcome.frees()
                .forEach(pod -> builder.addFrees(Free.newBuilder().setPod(ModelWire.write(pod))));
        return builder.build();
    }

    /** Throws {@link IllegalArgumentException} on a message without an order. */
    public static Order read(CoordinatorMessage message) {
        return switch (message.getOrderCase()) {
            case WELCOME -> read(message.getWelcome());
            case RESERVE ->
                new Order.Reserve(ModelWire.read(message.getReserve().getReservation()));
            case MOVE ->
                new Order.Move(
                        message.getMove().getFromPodUid(),
                        ModelWire.read(message.getMove().getTo()));
            case DROP -> new Order.Drop(message.getDrop().getPodUid());
            case FREE -> new Order.Free(ModelWire.read(message.getFree().getPod()));
            case ORDER_NOT_SET -> throw new IllegalArgumentException("a message without an order");
        };
    }

    private static Order.Welcome read(Welcome welcome) {
        return new Order.Welcome(
                welcome.getWantedList().stream().map(ModelWire::read).toList(),
                welcome.getFreesList().stream()
                        .map(free -> ModelWire.read(free.getPod()))
                        .toList());
    }

    public static dev.cede.v1.NodeReport write(NodeReport report) {
        dev.cede.v1.NodeReport.Builder builder = dev.cede.v1.NodeReport.newBuilder()
                .setNode(report.node())
                .setInstance(report.instance())
                .setVersion(report.version())
                .setHighestEpoch(report.highestEpoch().value())
                .setTakesBinds(report.takesBinds())
                .setTakesBindsReason(report.takesBindsReason());
        report.cards().forEach(card -> builder.addCards(ModelWire.write(card)));
        report.shares().forEach(share -> builder.addShares(ModelWire.write(share)));
        report.reservations().forEach(r -> builder.addReservations(ModelWire.write(r)));
        report.releases().forEach(watch -> builder.addReleases(ModelWire.write(watch)));
        report.drifts().forEach(drift -> builder.addDrifts(ModelWire.write(drift)));
        return builder.build();
    }

    public static NodeReport read(dev.cede.v1.NodeReport report) {
        return new NodeReport(
                report.getNode(),
                report.getInstance(),
                report.getVersion(),
                new Epoch(report.getHighestEpoch()),
                report.getTakesBinds(),
                report.getTakesBindsReason(),
                report.getCardsList().stream().map(ModelWire::read).toList(),
                report.getSharesList().stream().map(ModelWire::readBooked).toList(),
                report.getReservationsList().stream().map(ModelWire::read).toList(),
                report.getReleasesList().stream().map(ModelWire::read).toList(),
                report.getDriftsList().stream().map(ModelWire::read).toList());
    }

    public static dev.cede.v1.OrderResult write(OrderResult result) {
        return dev.cede.v1.OrderResult.newBuilder()
                .setOrderId(result.orderId())
                .setRefusal(
                        switch (result.refusal()) {
                            case NONE -> OrderRefusal.ORDER_REFUSAL_UNSPECIFIED;
                            case STALE_EPOCH -> OrderRefusal.STALE_EPOCH;
                            case NO_ROOM -> OrderRefusal.NO_ROOM;
                            case UNKNOWN_CARD -> OrderRefusal.UNKNOWN_CARD;
                            case UNKNOWN_RESERVATION -> OrderRefusal.UNKNOWN_RESERVATION;
                            case ALREADY_ALLOCATED -> OrderRefusal.ALREADY_ALLOCATED;
                        })
                .setReason(result.reason())
                .build();
    }

    public static OrderResult read(dev.cede.v1.OrderResult result) {
        Refusal refusal = switch (result.getRefusal()) {
            case ORDER_REFUSAL_UNSPECIFIED -> Refusal.NONE;
            case STALE_EPOCH -> Refusal.STALE_EPOCH;
            case NO_ROOM -> Refusal.NO_ROOM;
            case UNKNOWN_CARD -> Refusal.UNKNOWN_CARD;
            case UNKNOWN_RESERVATION -> Refusal.UNKNOWN_RESERVATION;
            case ALREADY_ALLOCATED -> Refusal.ALREADY_ALLOCATED;
            case UNRECOGNIZED ->
                throw new IllegalArgumentException("refusal " + result.getRefusalValue());
        };
        return new OrderResult(result.getOrderId(), refusal, result.getReason());
    }
}
