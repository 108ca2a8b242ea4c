package dev.cede.ledger;

import dev.cede.model.Amount;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Short ways to write books: shares of container {@code main} of pods named by a letter. */
final class Books {
    private static final long MIB = 1L << 20;

    private Books() {}

    static CardId id(int card) {
        return new CardId("GPU-c" + card);
    }

    static Card card(int index, int units, int foreign, CardHealth health) {
        return new Card(
                id(index),
                index,
                index,
                "Simulated",
                units * 128L * MIB,
                0,
                health,
                health == CardHealth.HEALTHY ? "" : "Xid 79",
                foreign);
    }

    static Card card(int index, int units) {
        return card(index, units, 0, CardHealth.HEALTHY);
    }

    static NodeLedger of(Card... cards) {
        return NodeLedger.empty(20).withCards(List.of(cards));
    }

    static PodRef pod(String name) {
        return new PodRef("default", name, "uid-" + name);
    }

    static Share share(String pod, int card, int units, int core) {
        return new Share(pod(pod), "main", id(card), new Amount(units, core));
    }

    static Share share(String pod, int card, int units) {
        return share(pod, card, units, 0);
    }

    static Reservation reserve(Share... shares) {
        return hold(new TreeSet<>(), shares);
    }

    static Reservation hold(SortedSet<ShareKey> behind, Share... shares) {
        return new Reservation(shares[0].pod(), List.of(shares), behind, new Epoch(1), "plan-1");
    }

    static SortedSet<ShareKey> behind(Share... shares) {
        return Arrays.stream(shares).map(Share::key).collect(Collectors.toCollection(TreeSet::new));
    }
}
