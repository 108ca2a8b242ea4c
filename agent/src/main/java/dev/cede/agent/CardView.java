package dev.cede.agent;

import dev.cede.ledger.CardBooks;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.IsolationType;
import dev.cede.model.NodeReport;
import dev.cede.model.Reservation;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.v1.ReleasingPod;
import dev.cede.wire.ModelWire;

/** The node's books as operators see them. */
record CardView(NodeReport report, NodeLedger ledger) {

    boolean hasCard(String uuid) {
        return ledger.cards().keySet().stream().anyMatch(card -> card.uuid().equals(uuid));
    }

    /**
     * @param only this card's UUID; empty for all
     */
    ListNodeCardsResponse response(String only) {
        ListNodeCardsResponse.Builder response = ListNodeCardsResponse.newBuilder()
                .setNode(report.node())
                .setHighestEpoch(report.highestEpoch().value())
                .setTakesBinds(report.takesBinds())
                .setTakesBindsReason(report.takesBindsReason());
        ledger.cardsByIndex().stream()
                .filter(card -> only.isEmpty() || card.id().uuid().equals(only))
                .forEach(card -> response.addCards(books(card)));
        report.releases().forEach(watch -> {
            ReleasingPod.Builder pod =
                    ReleasingPod.newBuilder().setPod(ModelWire.write(watch.pod()));
            watch.blocking().forEach(process -> pod.addBlocking(ModelWire.write(process)));
            response.addReleasing(pod);
        });
        report.drifts().forEach(drift -> response.addDrifts(ModelWire.write(drift)));
        return response.build();
    }

    private dev.cede.v1.CardBooks books(Card card) {
        CardBooks books = ledger.books(card.id());
        dev.cede.v1.CardBooks.Builder builder = dev.cede.v1.CardBooks.newBuilder()
                .setCard(ModelWire.write(card))
                .setFreeUnits(books.freeUnits())
                .setHeldUnits(books.uncovered().units())
                .setUsedUnits(books.given().units())
                .setUsedCorePercentage(books.given().core());
        books.type()
                .ifPresent(type -> builder.setType(
                        type == IsolationType.MEMORY
                                ? dev.cede.v1.IsolationType.MEMORY
                                : dev.cede.v1.IsolationType.MEMORY_AND_CORE));
        for (BookedShare booked : ledger.shares().values()) {
            if (booked.share().card().equals(card.id())) {
                builder.addShares(ModelWire.write(booked));
            }
        }
        ledger.reservations().values().forEach(each -> addReservation(builder, each, card));
        return builder.build();
    }

    private static void addReservation(
            dev.cede.v1.CardBooks.Builder builder, Reservation reservation, Card card) {
        var here = reservation.shares().stream()
                .filter(share -> share.card().equals(card.id()))
                .toList();
        if (!here.isEmpty() && reservation.isHold()) {
            builder.addHolds(ModelWire.write(reservation.withShares(here)));
        } else {
            here.forEach(share -> builder.addShares(ModelWire.write(share)));
        }
    }
}
