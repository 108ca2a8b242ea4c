package dev.cede.sandbox.eyes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.picture.CardView;
import dev.cede.sandbox.picture.CardView.HoldView;
import dev.cede.sandbox.picture.CardView.ShareView;
import dev.cede.sandbox.play.NodeSight;
import dev.cede.sandbox.play.PodSight;
import dev.cede.v1.Card;
import dev.cede.v1.CardBooks;
import dev.cede.v1.IsolationType;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.v1.PodRef;
import dev.cede.v1.Reservation;
import dev.cede.v1.Share;
import dev.cede.v1.ShareState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SightsTest {
    @Test
    void aPodBelongsToTheDeploymentOfItsReplicaSet() {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withUid("u")
                .withNamespace("default")
                .withName("low-5c9d8-x2k4q")
                .addNewOwnerReference()
                .withController(true)
                .withKind("ReplicaSet")
                .withName("low-5c9d8")
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withNominatedNodeName("n0")
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withMessage("no room")
                .endCondition()
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        assertEquals(
                new PodSight(
                        "u",
                        "default",
                        "low-5c9d8-x2k4q",
                        "low",
                        "Pending",
                        false,
                        "",
                        "n0",
                        List.of("DisruptionTarget"),
                        "no room",
                        "",
                        false),
                Sights.pod(pod));
    }

    @Test
    void aPodOfItsOwnIsItsOwnWorkload() {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("alone-1")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
        assertEquals("alone-1", Sights.pod(pod).workload());
    }

    private static Share share(String uid, int units, ShareState state) {
        return Share.newBuilder()
                .setPod(PodRef.newBuilder().setUid(uid).setName(uid))
                .setContainer("main")
                .setCard("GPU-1")
                .setUnits(units)
                .setState(state)
                .build();
    }

    private static ListNodeCardsResponse cards(int held, Share... shares) {
        CardBooks.Builder books = CardBooks.newBuilder()
                .setCard(Card.newBuilder().setUuid("GPU-1").setIndex(3).setCapacityUnits(64))
                .setType(IsolationType.MEMORY)
                .setHeldUnits(held)
                .addHolds(Reservation.newBuilder()
                        .setPod(PodRef.newBuilder().setName("next"))
                        .addShares(share("next", 40, ShareState.RESERVED)));
        List.of(shares).forEach(books::addShares);
        return ListNodeCardsResponse.newBuilder().setNode("n0").addCards(books).build();
    }

    @Test
    void onlyAnAllocatedShareSaysWhereAPodIs() {
        NodeSight node = Sights.node(cards(
                0,
                share("a", 16, ShareState.ALLOCATED),
                share("b", 16, ShareState.RESERVED),
                share("c", 16, ShareState.RELEASING)));
        assertEquals(Map.of("a", List.of("n0/c3")), node.cardsOf());
        assertEquals(Set.of("a", "b", "c"), node.inBooks());
        assertTrue(node.overfull().isEmpty());
        assertEquals(
                new CardView(
                        "n0",
                        3,
                        64,
                        0,
                        0,
                        0,
                        "memory",
                        List.of(
                                new ShareView("a", "main", 16, 0, CardView.State.ALLOCATED),
                                new ShareView("b", "main", 16, 0, CardView.State.RESERVED),
                                new ShareView("c", "main", 16, 0, CardView.State.RELEASING)),
                        List.of(new HoldView("next", 40))),
                node.cards().get(0));
    }

    /** A8. */
    @Test
    void aPodMayBeOnSeveralCards() {
        ListNodeCardsResponse one = cards(0, share("a", 16, ShareState.ALLOCATED));
        CardBooks.Builder other = one.getCards(0).toBuilder();
        other.getCardBuilder().setUuid("GPU-0").setIndex(2);
        NodeSight node = Sights.node(one.toBuilder().addCards(other).build());
        assertEquals(Map.of("a", List.of("n0/c2", "n0/c3")), node.cardsOf());
    }

    /** B6. */
    @Test
    void moreGivenOutThanThereIsCountsHoldsTooAndIsNamed() {
        NodeSight node = Sights.node(cards(1, share("a", 64, ShareState.RELEASING)));
        assertEquals(
                "n0/c3 has 65 of 64 units and 0 % core given out",
                node.overfull().orElse(""));
    }
}
