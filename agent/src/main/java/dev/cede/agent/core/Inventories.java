package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceLists;
import dev.cede.deviceplugin.DeviceNames;
import dev.cede.model.Card;
import dev.cede.model.CardId;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What kubelet is told of the cards. */
final class Inventories {
    private Inventories() {}

    static void renamed(Turn turn, boolean first) {
        List<Card> cards = turn.books.ledger().cardsByIndex();
        Set<CardId> inUse = new TreeSet<>();
        turn.books.ledger().shares().keySet().forEach(key -> inUse.add(key.card()));
        turn.books
                .ledger()
                .reservations()
                .values()
                .forEach(reservation ->
                        reservation.shares().forEach(share -> inUse.add(share.card())));
        turn.books.steering().given().forEach(each -> inUse.addAll(each.counts().keySet()));
        DeviceNames before = turn.books.names();
        Set<CardId> named = new TreeSet<>(before.prefixes().keySet());
        named.retainAll(inUse);
        DeviceNames names = before.with(cards.stream().map(Card::id).toList(), named);
        if (!names.equals(before)) {
            turn.books = turn.books.withNames(names);
        }
        if (!cards.isEmpty() && (first || turn.cardsChanged())) {
            turn.emit(new NodeEffect.PublishDevices(DeviceLists.of(cards, names)));
            turn.log("cards", "count=%d".formatted(cards.size()));
        }
    }
}
