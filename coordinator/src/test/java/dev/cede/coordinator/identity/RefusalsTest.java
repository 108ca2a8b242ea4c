package dev.cede.coordinator.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.identity.Refused.Reason;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private static final Refused NO_TOKEN = new Refused(Reason.NO_TOKEN, "none");

    private final Refusals refusals = new Refusals();

    @Test
    void eachIsCountedAndToldOnceForItsPeerAndReason() {
        assertTrue(refusals.add("a/n1", NO_TOKEN));
        assertFalse(refusals.add("a/n1", NO_TOKEN), "a retry");
        assertTrue(refusals.add("a/n2", NO_TOKEN), "another peer");
        assertTrue(refusals.add("a/n1", new Refused(Reason.OTHER_NODE, "n2")), "another reason");
        assertEquals(
                Map.of(
                        "NO_TOKEN", new Refusals.Count(3, "none"),
                        "OTHER_NODE", new Refusals.Count(1, "n2")),
                refusals.counts());
    }

    @Test
    void whoWasLetInMeanwhileIsNews() {
        refusals.add("a/n1", NO_TOKEN);
        refusals.forget("a/n1");
        assertTrue(refusals.add("a/n1", NO_TOKEN));
    }

    @Test
    void nobodyOutsideWritesLinesOfOurLog() {
        refusals.add(
                "a/n1", new Refused(Reason.OTHER_NODE, "n\"1\nlevel=ERROR " + "x".repeat(999)));
        String last = refusals.counts().get("OTHER_NODE").last();
        assertTrue(last.startsWith("n'1?level=ERROR xxx"), last);
        assertTrue(last.length() < 310, last);
    }

    @Test
    void howManyPeersAreRememberedIsBounded() {
        for (int i = 0; i <= Refusals.MOST_TOLD; i++) {
            refusals.add("peer" + i, NO_TOKEN);
        }
        assertTrue(refusals.add("peer0", NO_TOKEN), "the oldest was forgotten");
        assertFalse(refusals.add("peer9", NO_TOKEN));
    }
}
