package dev.cede.coordinator.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlanCodecTest {
    static SavedPlan plan(String id, Epoch epoch, String reason) {
        PodRef winner = new PodRef("ns", "high", "u-high");
        PodRef loser = new PodRef("ns", "low", "u-low");
        CardId card = new CardId("GPU-1");
        Placement placement = new Placement(
                winner,
                "n1",
                List.of(new Share(winner, "main", card, new Amount(64, 50))),
                new TreeSet<>(List.of(new ShareKey("u-low", "main", card))));
        return new SavedPlan(
                id,
                epoch,
                "ReplicaSet/u9",
                List.of(placement),
                List.of(new PlannedVictim(loser, "n1", -3, reason)),
                Instant.parse("2026-01-02T03:04:05.678901Z"),
                Duration.ofMillis(30_500));
    }

    @Test
    void whatIsReadIsWhatWasWritten() {
        SavedPlan plan = plan("p-1", new Epoch(12), "lower \"priority\" – so");
        assertEquals(plan, PlanCodec.read(PlanCodec.write(plan)));
    }

    @Test
    void theSamePlanIsTheSameBytes() {
        SavedPlan plan = plan("p-1", new Epoch(12), "x");
        assertEquals(
                new String(PlanCodec.write(plan), StandardCharsets.UTF_8),
                new String(
                        PlanCodec.write(PlanCodec.read(PlanCodec.write(plan))),
                        StandardCharsets.UTF_8));
    }

    @Test
    void whatIsNoPlanIsNamed() {
        assertTrue(refused("{\"version\": 2}").contains("version 2"));
        assertTrue(refused("{\"version\": 1}").contains("without id"));
        assertTrue(refused("not json").startsWith("not a plan"));
        assertTrue(refused("").contains("a plan without version"));
    }

    private static String refused(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return assertThrows(IllegalArgumentException.class, () -> PlanCodec.read(bytes))
                .getMessage();
    }
}
