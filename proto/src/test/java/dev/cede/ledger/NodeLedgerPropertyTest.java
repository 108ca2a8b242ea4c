package dev.cede.ledger;

import static dev.cede.ledger.Books.card;
import static dev.cede.ledger.Books.hold;
import static dev.cede.ledger.Books.reserve;
import static dev.cede.ledger.Books.share;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.CardId;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** B6 and B7 on drawn histories; a failure names the seed. */
final class NodeLedgerPropertyTest {
    private static final int SEEDS = 150;
    private static final int FACTS = 60;

    private static Share drawnShare(Random random, String pod) {
        int card = random.nextInt(2);
        return share(pod, card, 1 + random.nextInt(24), card == 0 ? 0 : 5 * random.nextInt(6));
    }

    /** Waits for everything on its card, unless somebody waits for it already. */
    private static NavigableSet<ShareKey> behind(NodeLedger ledger, CardId card) {
        NavigableSet<ShareKey> behind = new TreeSet<>();
        ledger.shares().keySet().stream()
                .filter(key -> key.card().equals(card))
                .filter(key -> ledger.reservations().values().stream()
                        .noneMatch(held -> held.behind().contains(key)))
                .forEach(behind::add);
        return behind;
    }

    /** A fact that may come next; reservations only where the books take them. */
    private static UnaryOperator<NodeLedger> fact(Random random, NodeLedger now) {
        String pod = "p" + random.nextInt(12);
        Share share = drawnShare(random, pod);
        Reservation asked =
                random.nextBoolean() ? reserve(share) : hold(behind(now, share.card()), share);
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                now.refusal(asked).isEmpty() && now.sharesOf(share.pod().uid()).isEmpty()
                        ? ledger -> ledger.with(asked)
                        : ledger -> ledger;
            case 2, 3 -> ordinary(now, share.pod().uid());
            case 4 -> ledger -> ledger.releasing("uid-" + pod);
            default -> ledger -> ledger.freePod("uid-" + pod);
        };
    }

    /** Kubelet gives out what is reserved and waits for nobody. */
    private static UnaryOperator<NodeLedger> ordinary(NodeLedger now, String uid) {
        Reservation held = now.reservations().get(uid);
        return held == null || held.isHold()
                ? ledger -> ledger
                : ledger -> ledger.allocate(held.shares().getFirst());
    }

    @Test
    void nothingIsEverOverCapacityAndTheSameFactTwiceChangesNothing_B6_B7() {
        int given = 0;
        int holds = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            NodeLedger ledger = Books.of(card(0, 64), card(1, 48));
            for (int i = 0; i < FACTS; i++) {
                UnaryOperator<NodeLedger> fact = fact(random, ledger);
                NodeLedger once = fact.apply(ledger);
                assertEquals(once, fact.apply(once), "seed " + seed + " fact " + i);
                for (CardId card : once.cards().keySet()) {
                    assertTrue(
                            once.books(card).withinCapacity(),
                            "seed " + seed + " fact " + i + ": " + once);
                }
                ledger = once;
                given += ledger.shares().size();
                holds += (int) ledger.reservations().values().stream()
                        .filter(Reservation::isHold)
                        .count();
            }
        }
        assertTrue(given > 500 && holds > 500, given + " given, " + holds + " holds");
    }

    @Test
    void undoneReservationsLeaveTheBooksAsTheyWere_B7() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            NodeLedger ledger = Books.of(card(0, 64), card(1, 48));
            for (int i = 0; i < FACTS; i++) {
                Share share = drawnShare(random, "extra");
                Reservation asked = hold(behind(ledger, share.card()), share);
                assertEquals(
                        ledger, ledger.with(asked).without("uid-extra"), "seed " + seed + " " + i);
                ledger = fact(random, ledger).apply(ledger);
            }
        }
    }
}
