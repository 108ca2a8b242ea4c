package dev.cede.ledger;

import static dev.cede.ledger.Books.behind;
import static dev.cede.ledger.Books.card;
import static dev.cede.ledger.Books.hold;
import static dev.cede.ledger.Books.id;
import static dev.cede.ledger.Books.reserve;
import static dev.cede.ledger.Books.share;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.model.CardHealth;
import dev.cede.model.IsolationType;
import dev.cede.model.OrderResult.Refusal;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class NodeLedgerTest {
    private static final Share V = share("V", 0, 32);
    private static final Share W = share("W", 0, 16);

    private static String refusal(NodeLedger ledger, Reservation asked) {
        return ledger.refusal(asked).map(LedgerRefusal::reason).orElse("");
    }

    @Test
    void aCardTakesOneTypeAndIsFreeOfTypeAfterItsLastShare_B2() {
        NodeLedger ledger = Books.of(card(0, 64)).allocate(V).allocate(W);
        Reservation other = reserve(share("H", 0, 8, 5));
        assertEquals(
                "c0 serves another isolation type than MEMORY_AND_CORE", refusal(ledger, other));
        assertEquals(Optional.of(IsolationType.MEMORY), ledger.books(id(0)).type());
        NodeLedger one = ledger.free(V.key());
        assertFalse(refusal(one, other).isEmpty());
        NodeLedger none = one.free(W.key());
        assertEquals(Optional.empty(), none.books(id(0)).type());
        assertEquals("", refusal(none, other));
    }

    @Test
    void aCardTakesTwentyShares_B3() {
        NodeLedger ledger = Books.of(card(0, 64));
        for (int i = 0; i < 20; i++) {
            assertEquals("", refusal(ledger, reserve(share("p" + i, 0, 1))));
            ledger = ledger.allocate(share("p" + i, 0, 1));
        }
        assertEquals("c0 would hold 21 shares of 20", refusal(ledger, reserve(share("q", 0, 1))));
    }

    @Test
    void memoryAndCoreAreBothCounted_B4_B5() {
        NodeLedger ledger = Books.of(card(0, 64)).allocate(share("A", 0, 8, 60));
        assertEquals("", refusal(ledger, reserve(share("B", 0, 56, 40))));
        assertEquals(
                "c0 would hold 105 % core of 100", refusal(ledger, reserve(share("B", 0, 1, 45))));
        assertEquals(
                "c0 would hold 65 units of 64", refusal(ledger, reserve(share("B", 0, 57, 5))));
        NodeLedger exclusive = Books.of(card(0, 64)).allocate(share("A", 0, 8, 100));
        assertFalse(refusal(exclusive, reserve(share("B", 0, 8, 5))).isEmpty());
        assertFalse(refusal(exclusive, reserve(share("B", 0, 8))).isEmpty());
    }

    @Test
    void aHoldCountsOnlyForWhatExceedsItsShares_B6() {
        NodeLedger ledger =
                Books.of(card(0, 64)).allocate(V).with(hold(behind(V), share("H", 0, 40)));
        assertEquals(new Load(8, 0, 0), ledger.books(id(0)).uncovered());
        assertEquals(24, ledger.books(id(0)).freeUnits());
        assertEquals("", refusal(ledger, reserve(share("S", 0, 24))));
        assertEquals("c0 would hold 65 units of 64", refusal(ledger, reserve(share("S", 0, 25))));
    }

    @Test
    void holdsBehindOneSetCountTogether_B6() {
        NodeLedger ledger = Books.of(card(0, 64))
                .allocate(V)
                .allocate(W)
                .with(hold(behind(V, W), share("H", 0, 40)))
                .with(hold(behind(V, W), share("I", 0, 20)));
        assertEquals(new Load(12, 0, 0), ledger.books(id(0)).uncovered());
        NodeLedger less = ledger.free(W.key());
        assertEquals(new Load(28, 0, 1), less.books(id(0)).uncovered());
        assertEquals(60, less.books(id(0)).load().units());
    }

    @Test
    void aHoldBecomesAnOrdinaryReservationWithItsLastShare_B6() {
        NodeLedger ledger = Books.of(card(0, 64))
                .allocate(V)
                .allocate(W)
                .with(hold(behind(V, W), share("H", 0, 40)));
        NodeLedger one = ledger.releasing("uid-V").free(V.key());
        assertTrue(one.reservations().get("uid-H").isHold());
        NodeLedger none = one.free(W.key());
        assertFalse(none.reservations().get("uid-H").isHold());
        assertEquals(new Load(40, 0, 1), none.books(id(0)).given());
    }

    @Test
    void aHoldOfAnotherTypeWaitsAndTheCardKeepsTheTypeOfWhatRuns_B6() {
        Reservation asked = hold(behind(V), share("H", 0, 64, 50));
        NodeLedger ledger = Books.of(card(0, 64)).allocate(V);
        assertEquals("", refusal(ledger, asked));
        NodeLedger held = ledger.with(asked);
        assertEquals(Optional.of(IsolationType.MEMORY), held.books(id(0)).type());
        assertFalse(refusal(held, reserve(share("S", 0, 1))).isEmpty());
        assertFalse(refusal(held, reserve(share("S", 0, 1, 5))).isEmpty());
        assertEquals(
                Optional.of(IsolationType.MEMORY_AND_CORE),
                held.free(V.key()).books(id(0)).type());
    }

    @Test
    void aHoldBehindAReservationFollowsItIntoAllocation_C4() {
        NodeLedger ledger =
                Books.of(card(0, 64)).with(reserve(V)).with(hold(behind(V), share("H", 0, 64)));
        assertEquals(new Load(32, 0, 0), ledger.books(id(0)).uncovered());
        NodeLedger given = ledger.allocate(V);
        assertTrue(given.reservations().get("uid-H").isHold());
        assertEquals(ledger.books(id(0)).load(), given.books(id(0)).load());
        assertFalse(ledger.without("uid-V").reservations().get("uid-H").isHold());
    }

    @Test
    void foreignUseLowersWhatMayBePlannedOutsideTheSum_B6() {
        NodeLedger ledger =
                Books.of(card(0, 64, 32, CardHealth.HEALTHY)).allocate(share("A", 0, 48));
        assertTrue(ledger.books(id(0)).withinCapacity());
        assertEquals(0, ledger.books(id(0)).freeUnits());
        assertEquals("c0 would hold 49 units of 32", refusal(ledger, reserve(share("B", 0, 1))));
    }

    @Test
    void aCardThatForeignUseOverfillsMayBeHeldForWhatWillFit_B6() {
        Share full = share("A", 0, 64);
        NodeLedger ledger = Books.of(card(0, 64, 4, CardHealth.HEALTHY)).allocate(full);
        assertEquals("", refusal(ledger, hold(behind(full), share("H", 0, 60))));
        assertEquals(
                "c0 would hold 61 units of 60",
                refusal(ledger, hold(behind(full), share("H", 0, 61))));
    }

    @Test
    void leavingAndFinishedPodsCountUntilFree_B8() {
        NodeLedger ledger = Books.of(card(0, 64)).allocate(V).releasing("uid-V");
        assertEquals(ShareState.RELEASING, ledger.shares().get(V.key()).state());
        assertEquals(32, ledger.books(id(0)).load().units());
        assertEquals(0, ledger.freePod("uid-V").books(id(0)).load().units());
    }

    @Test
    void unhealthyAndUnknownCardsTakeNothingNew_B9() {
        NodeLedger ledger = Books.of(card(0, 64, 0, CardHealth.UNHEALTHY));
        assertEquals("c0 takes nothing new: Xid 79", refusal(ledger, reserve(share("A", 0, 1))));
        assertEquals(
                Optional.of(Refusal.UNKNOWN_CARD),
                ledger.refusal(reserve(share("A", 7, 1))).map(LedgerRefusal::kind));
    }

    @Test
    void sharesOfACardThatIsGoneCountNowhereElse_B17() {
        NodeLedger ledger = Books.of(card(0, 64)).allocate(V).withCards(List.of(card(1, 64)));
        assertEquals(64, ledger.books(id(1)).freeUnits());
        assertEquals(1, ledger.sharesOf("uid-V").size());
    }

    @Test
    void aPodOfTheSameNameIsAnotherPod_B7() {
        Share again = new Share(new PodRef("default", "V", "uid-2"), "main", id(0), V.amount());
        NodeLedger ledger = Books.of(card(0, 64)).allocate(V).allocate(again);
        assertEquals(64, ledger.books(id(0)).load().units());
        assertEquals(32, ledger.freePod("uid-V").books(id(0)).load().units());
    }

    @Test
    void anAllocationOnAnotherCardTakesThePlaceOfWhatWasPlanned() {
        NodeLedger ledger = Books.of(card(0, 64), card(1, 64)).with(reserve(V));
        NodeLedger given = ledger.allocate(share("V", 1, 32));
        assertEquals(0, given.books(id(0)).load().units());
        assertEquals(32, given.books(id(1)).load().units());
    }

    @Test
    void aContainerHasAShareOfEachOfItsCards_B7_A8() {
        Share first = share("V", 0, 16);
        Share second = share("V", 1, 16);
        NodeLedger ledger = Books.of(card(0, 64), card(1, 64)).with(reserve(first, second));
        assertEquals(16, ledger.books(id(1)).load().units());
        NodeLedger given = ledger.allocate(List.of(first, second));
        assertEquals(given, given.allocate(List.of(first, second)));
        assertEquals(2, given.sharesOf("uid-V").size());
        assertEquals(0, given.reservations().size());
        NodeLedger half = given.releasing("uid-V").free(first.key());
        assertEquals(0, half.books(id(0)).load().units());
        assertEquals(16, half.books(id(1)).load().units());
    }

    @Test
    void anAllocationThatIsPartlyElsewhereTakesThePlaceOfAllThatWasPlanned_A8() {
        NodeLedger ledger = Books.of(card(0, 64), card(1, 64), card(2, 64))
                .with(reserve(share("V", 0, 16), share("V", 1, 16)));
        NodeLedger one = ledger.allocate(List.of(share("V", 0, 32)));
        assertEquals(0, one.books(id(1)).load().units());
        NodeLedger two = ledger.allocate(List.of(share("V", 0, 16), share("V", 2, 16)));
        assertEquals(16, two.books(id(0)).load().units());
        assertEquals(0, two.books(id(1)).load().units());
        assertEquals(0, two.reservations().size());
    }

    @Test
    void aHoldOnOneCardStandsBehindThatCardsShareOnly_B6_A8() {
        Share first = share("V", 0, 64);
        Share second = share("V", 1, 64);
        NodeLedger ledger = Books.of(card(0, 64), card(1, 64))
                .allocate(List.of(first, second))
                .with(hold(behind(first), share("H", 0, 64)));
        assertTrue(ledger.reservations().get("uid-H").isHold());
        assertFalse(ledger.free(first.key()).reservations().get("uid-H").isHold());
        assertEquals(64, ledger.free(first.key()).books(id(1)).load().units());
    }

    @Test
    void askingAgainForWhatOneHasIsNeverRefused_B7() {
        Share all = share("A", 0, 64);
        NodeLedger reserved = Books.of(card(0, 64)).with(reserve(all));
        assertEquals("", refusal(reserved, reserve(all)));
        assertEquals("", refusal(reserved.allocate(all), reserve(all)));
    }

    @Test
    void aHoldThatWaitsForNobodyAnyMoreIsJudgedAnew_B6() {
        Share all = share("A", 0, 64);
        NodeLedger held =
                Books.of(card(0, 64)).allocate(all).with(hold(behind(all), share("H", 0, 64)));
        assertEquals("", refusal(held, hold(behind(all), share("H", 0, 64))));
        assertEquals("c0 would hold 128 units of 64", refusal(held, reserve(share("H", 0, 64))));
    }
}
