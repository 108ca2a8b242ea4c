package dev.cede.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.Drift;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.v1.CoordinatorMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every message, through bytes and back, with drawn values; a failure names the seed. */
final class WireTest {
    private static final int SEEDS = 500;

    @Test
    void ordersComeBackAsTheyWere() throws InvalidProtocolBufferException {
        for (int seed = 0; seed < SEEDS; seed++) {
            for (Order order : new Drawn(seed).orders()) {
                byte[] bytes = LinkWire.write(order).build().toByteArray();
                assertEquals(
                        order, LinkWire.read(CoordinatorMessage.parseFrom(bytes)), "seed " + seed);
            }
        }
    }

    @Test
    void reportsComeBackAsTheyWere() throws InvalidProtocolBufferException {
        for (int seed = 0; seed < SEEDS; seed++) {
            NodeReport report = new Drawn(seed).report();
            byte[] bytes = LinkWire.write(report).toByteArray();
            assertEquals(
                    report, LinkWire.read(dev.cede.v1.NodeReport.parseFrom(bytes)), "seed " + seed);
        }
    }

    @Test
    void resultsComeBackAsTheyWere() throws InvalidProtocolBufferException {
        for (int seed = 0; seed < SEEDS; seed++) {
            OrderResult result = new Drawn(seed).result();
            byte[] bytes = LinkWire.write(result).toByteArray();
            assertEquals(
                    result,
                    LinkWire.read(dev.cede.v1.OrderResult.parseFrom(bytes)),
                    "seed " + seed);
        }
    }

    @Test
    void theModelsPartsComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Drawn drawn = new Drawn(seed);
            String name = "seed " + seed;
            Card card = drawn.card();
            assertEquals(card, ModelWire.read(ModelWire.write(card)), name);
            PodRef pod = drawn.pod();
            assertEquals(pod, ModelWire.read(ModelWire.write(pod)), name);
            Share share = drawn.share();
            assertEquals(share, ModelWire.read(ModelWire.write(share)), name);
            BookedShare booked = drawn.booked();
            assertEquals(booked, ModelWire.readBooked(ModelWire.write(booked)), name);
            ShareKey key = drawn.key();
            assertEquals(key, ModelWire.read(ModelWire.write(key)), name);
            Reservation reservation = drawn.reservation();
            assertEquals(reservation, ModelWire.read(ModelWire.write(reservation)), name);
            GpuProcess process = drawn.process();
            assertEquals(process, ModelWire.read(ModelWire.write(process)), name);
            Drift drift = drawn.drift();
            assertEquals(drift, ModelWire.read(ModelWire.write(drift)), name);
        }
    }

    @Test
    void aCardGoesOutWithItsCapacityForReaders() {
        Card card = new Drawn(1).card();
        assertEquals(card.capacityUnits(), ModelWire.write(card).getCapacityUnits());
    }

    @Test
    void aMessageWithoutAnOrderIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> LinkWire.read(CoordinatorMessage.getDefaultInstance()));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 101})
    void aShareThatTheModelDoesNotAllowIsRefused(int core) {
        dev.cede.v1.Share wrong = ModelWire.write(
                        new Share(new PodRef("a", "b", "c"), "d", new CardId("e"), Amount.NONE))
                .toBuilder()
                .setCorePercentage(core)
                .build();
        assertThrows(IllegalArgumentException.class, () -> ModelWire.read(wrong));
    }

    @Test
    void whatWasLeftOutIsRefusedWhereTheModelNeedsIt() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ModelWire.read(dev.cede.v1.Card.getDefaultInstance()));
        assertThrows(
                IllegalArgumentException.class,
                () -> ModelWire.readBooked(dev.cede.v1.Share.getDefaultInstance()));
        assertThrows(
                IllegalArgumentException.class,
                () -> LinkWire.read(
                        dev.cede.v1.OrderResult.newBuilder().setRefusalValue(99).build()));
    }
}
