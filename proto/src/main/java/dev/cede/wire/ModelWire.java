package dev.cede.wire;

import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Drift;
import dev.cede.model.Epoch;
import dev.cede.model.GpuProcess;
import dev.cede.model.PodRef;
import dev.cede.model.ReleaseWatch;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import dev.cede.model.ShareState;

import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Values both services speak about. Reading throws {@link IllegalArgumentException} on what the
 * model does not allow.
 */
public final class ModelWire {
    private static final long MIB = 1L << 20;

    private ModelWire() {}

    public static dev.cede.v1.PodRef write(PodRef pod) {
        return dev.cede.v1.PodRef.newBuilder()
                .setNamespace(pod.namespace())
                .setName(pod.name())
                .setUid(pod.uid())
                .build();
    }

    public static PodRef read(dev.cede.v1.PodRef pod) {
        return new PodRef(pod.getNamespace(), pod.getName(), pod.getUid());
    }

    /** A share of a reservation. */
    public static dev.cede.v1.Share write(Share share) {
        return write(share, dev.cede.v1.ShareState.RESERVED);
    }

    public static dev.cede.v1.Share write(BookedShare booked) {
        return write(
                booked.share(),
                booked.state() == ShareState.ALLOCATED
                        ? dev.cede.v1.ShareState.ALLOCATED
                        : dev.cede.v1.ShareState.RELEASING);
    }

    private static dev.cede.v1.Share write(Share share, dev.cede.v1.ShareState state) {
        return dev.cede.v1.Share.newBuilder()
                .setPod(write(share.pod()))
                .setContainer(share.container())
                .setCard(share.card().uuid())
                .setUnits(share.amount().units())
                .setCorePercentage(share.amount().core())
                .setState(state)
                .build();
    }

    public static Share read(dev.cede.v1.Share share) {
        return new Share(
                read(share.getPod()),
                share.getContainer(),
                new CardId(share.getCard()),
                new Amount(share.getUnits(), share.getCorePercentage()));
    }

    /** A share that was given out. */
    public static BookedShare readBooked(dev.cede.v1.Share share) {
        ShareState state = switch (share.getState()) {
            case ALLOCATED -> ShareState.ALLOCATED;
            case RELEASING -> ShareState.RELEASING;
            default -> throw new IllegalArgumentException("share state " + share.getState());
        };
        return new BookedShare(read(share), state);
    }

    public static dev.cede.v1.ShareKey write(ShareKey key) {
        return dev.cede.v1.ShareKey.newBuilder()
                .setPodUid(key.podUid())
                .setContainer(key.container())
                .setCard(key.card().uuid())
                .build();
    }

    public static ShareKey read(dev.cede.v1.ShareKey key) {
        return new ShareKey(key.getPodUid(), key.getContainer(), new CardId(key.getCard()));
    }

    public static dev.cede.v1.Reservation write(Reservation reservation) {
        dev.cede.v1.Reservation.Builder builder = dev.cede.v1.Reservation.newBuilder()
                .setPod(write(reservation.pod()))
                .setEpoch(reservation.epoch().value())
                .setPlan(reservation.plan());
        reservation.shares().forEach(share -> builder.addShares(write(share)));
        reservation.behind().forEach(key -> builder.addBehind(write(key)));
        return builder.build();
    }

    public static Reservation read(dev.cede.v1.Reservation reservation) {
        TreeSet<ShareKey> behind = new TreeSet<>();
        reservation.getBehindList().forEach(key -> behind.add(read(key)));
        return new Reservation(
                read(reservation.getPod()),
                reservation.getSharesList().stream().map(ModelWire::read).toList(),
                behind,
                new Epoch(reservation.getEpoch()),
                reservation.getPlan());
    }

    public static dev.cede.v1.Card write(Card card) {
        return dev.cede.v1.Card.newBuilder()
                .setUuid(card.id().uuid())
                .setIndex(card.index())
                .setMinor(card.minor())
                .setModel(card.model())
                .setTotalMib(mib(card.totalBytes()))
                .setReservedMib(mib(card.reservedBytes()))
                .setCapacityUnits(card.capacityUnits())
                .setHealth(
                        switch (card.health()) {
                            case HEALTHY -> dev.cede.v1.CardHealth.HEALTHY;
                            case SUSPECT -> dev.cede.v1.CardHealth.SUSPECT;
                            case UNHEALTHY -> dev.cede.v1.CardHealth.UNHEALTHY;
                        })
                .setHealthReason(card.healthReason())
                .setForeignUnits(card.foreignUnits())
                .putAllWholeCardDevices(card.wholeCardDevices())
                .build();
    }

    public static Card read(dev.cede.v1.Card card) {
        CardHealth health = switch (card.getHealth()) {
            case HEALTHY -> CardHealth.HEALTHY;
            case SUSPECT -> CardHealth.SUSPECT;
            case UNHEALTHY -> CardHealth.UNHEALTHY;
            default -> throw new IllegalArgumentException("card health " + card.getHealth());
        };
        return new Card(
                new CardId(card.getUuid()),
                card.getIndex(),
                card.getMinor(),
                card.getModel(),
                card.getTotalMib() * MIB,
                card.getReservedMib() * MIB,
                health,
                card.getHealthReason(),
                card.getForeignUnits(),
                new TreeMap<>(card.getWholeCardDevicesMap()));
    }

    public static dev.cede.v1.GpuProcess write(GpuProcess process) {
        return dev.cede.v1.GpuProcess.newBuilder()
                .setPid(process.pid())
                .setName(process.name())
                .setCard(process.card().uuid())
                .setUsedMib(process.usedMib())
                .build();
    }

    public static GpuProcess read(dev.cede.v1.GpuProcess process) {
        return new GpuProcess(
                process.getPid(),
                process.getName(),
                new CardId(process.getCard()),
                process.getUsedMib());
    }

    public static dev.cede.v1.ReleaseWatch write(ReleaseWatch watch) {
        dev.cede.v1.ReleaseWatch.Builder builder =
                dev.cede.v1.ReleaseWatch.newBuilder().setPod(write(watch.pod()));
        watch.blocking().forEach(process -> builder.addBlocking(write(process)));
        return builder.build();
    }

    public static ReleaseWatch read(dev.cede.v1.ReleaseWatch watch) {
        return new ReleaseWatch(
                read(watch.getPod()),
                watch.getBlockingList().stream().map(ModelWire::read).toList());
    }

    public static dev.cede.v1.Drift write(Drift drift) {
        return dev.cede.v1.Drift.newBuilder()
                .setKind(drift.kind())
                .setCount(drift.count())
                .setLast(drift.last())
                .build();
    }

    public static Drift read(dev.cede.v1.Drift drift) {
        return new Drift(drift.getKind(), drift.getCount(), drift.getLast());
    }

    private static int mib(long bytes) {
        return Math.toIntExact(bytes / MIB);
    }
}
