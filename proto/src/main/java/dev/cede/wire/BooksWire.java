package dev.cede.wire;

import dev.cede.ledger.CardBooks;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.List;
import java.util.Optional;

/** A node's books as both of our services show them. */
public final class BooksWire {
    private BooksWire() {}

    /** All cards of a node, in the driver's order. */
    public static List<dev.cede.v1.CardBooks> write(NodeLedger ledger) {
        return ledger.cardsByIndex().stream().map(card -> write(ledger, card)).toList();
    }

    /** One card of a node. */
    public static dev.cede.v1.CardBooks write(NodeLedger ledger, Card card) {
        CardBooks books = ledger.books(card.id());
        dev.cede.v1.CardBooks.Builder builder = dev.cede.v1.CardBooks.newBuilder()
                .setCard(ModelWire.write(card))
                .setType(write(books.type()))
                .setFreeUnits(books.freeUnits())
                .setHeldUnits(books.uncovered().units())
                .setUsedUnits(books.given().units())
                .setUsedCorePercentage(books.given().core());
        ledger.shares().values().stream()
                .filter(booked -> booked.share().card().equals(card.id()))
                .forEach(booked -> builder.addShares(ModelWire.write(booked)));
        for (Reservation reservation : ledger.reservations().values()) {
            add(builder, reservation, card.id());
        }
        return builder.build();
    }

    /** A hold whole, once for each card it touches; of another reservation the card's shares. */
    private static void add(
            dev.cede.v1.CardBooks.Builder builder, Reservation reservation, CardId card) {
        List<Share> here = reservation.shares().stream()
                .filter(share -> share.card().equals(card))
                .toList();
        if (reservation.isHold() && !here.isEmpty()) {
            builder.addHolds(ModelWire.write(reservation));
        } else {
            here.forEach(share -> builder.addShares(ModelWire.write(share)));
        }
    }

    private static dev.cede.v1.IsolationType write(Optional<IsolationType> type) {
        return type.map(known -> switch (known) {
                    case MEMORY -> dev.cede.v1.IsolationType.MEMORY;
                    case MEMORY_AND_CORE -> dev.cede.v1.IsolationType.MEMORY_AND_CORE;
                })
                .orElse(dev.cede.v1.IsolationType.ISOLATION_TYPE_UNSPECIFIED);
    }
}
