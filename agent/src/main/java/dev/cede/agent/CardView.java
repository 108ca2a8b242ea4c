package dev.cede.agent;

import dev.cede.ledger.NodeLedger;
import dev.cede.model.NodeReport;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.wire.BooksWire;
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
                .forEach(card -> response.addCards(BooksWire.write(ledger, card)));
        report.releases().forEach(watch -> response.addReleasing(ModelWire.write(watch)));
        report.drifts().forEach(drift -> response.addDrifts(ModelWire.write(drift)));
        return response.build();
    }
}
