package dev.cede.wire;

import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Drift;
import dev.cede.model.Epoch;
import dev.cede.model.GpuProcess;
import dev.cede.model.NodeReport;
import dev.cede.model.Order;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.model.ReleaseWatch;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.model.ShareState;

import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Model values drawn from a seed; empty texts and empty lists among them. */
final class Drawn {
    private static final long MIB = 1L << 20;

    private final Random random;

    Drawn(long seed) {
        random = new Random(seed);
    }

    private String text() {
        return random.nextInt(4) == 0 ? "" : "text-" + random.nextInt(1000) + " ä";
    }

    private <T> List<T> some(Supplier<T> one) {
        return Stream.generate(one).limit(random.nextInt(4)).toList();
    }

    private <T extends Enum<T>> T of(T[] values) {
        return values[random.nextInt(values.length)];
    }

    CardId cardId() {
        return new CardId("GPU-" + random.nextInt(1000));
    }

    Card card() {
        return new Card(
                cardId(),
                random.nextInt(16),
                random.nextInt(16),
                text(),
                random.nextInt(200_000) * MIB,
                random.nextInt(600) * MIB,
                of(CardHealth.values()),
                text(),
                random.nextInt(64),
                devices());
    }

    private SortedMap<String, Integer> devices() {
        TreeMap<String, Integer> devices = new TreeMap<>();
        some(this::text).forEach(pod -> devices.put(pod, 1 + random.nextInt(4)));
        return devices;
    }

    PodRef pod() {
        return new PodRef(text(), text(), text());
    }

    Share share() {
        return new Share(
                pod(), text(), cardId(), new Amount(random.nextInt(16385), random.nextInt(101)));
    }

    BookedShare booked() {
        return new BookedShare(share(), of(ShareState.values()));
    }

    ShareKey key() {
        return new ShareKey(text(), text(), cardId());
    }

    Epoch epoch() {
        return new Epoch(random.nextLong(1L << 40));
    }

    Reservation reservation() {
        return new Reservation(
                pod(), some(this::share), new TreeSet<>(some(this::key)), epoch(), text());
    }

    GpuProcess process() {
        return new GpuProcess(random.nextInt(99_999), text(), cardId(), random.nextInt(9_000) - 1);
    }

    Drift drift() {
        return new Drift(text(), random.nextLong(1L << 40), text());
    }

    NodeReport report() {
        return new NodeReport(
                text(),
                text(),
                random.nextLong(1L << 40),
                epoch(),
                random.nextBoolean(),
                text(),
                some(this::card),
                some(this::booked),
                some(this::reservation),
                some(() -> new ReleaseWatch(pod(), some(this::process))),
                some(this::drift));
    }

    OrderResult result() {
        return new OrderResult(text(), of(OrderResult.Refusal.values()), text());
    }

    List<Order> orders() {
        return List.of(
                new Order.Welcome(some(this::reservation), some(this::pod)),
                new Order.Reserve(reservation()),
                new Order.Move(text(), reservation()),
                new Order.Drop(text()),
                new Order.Free(pod()));
    }
}
