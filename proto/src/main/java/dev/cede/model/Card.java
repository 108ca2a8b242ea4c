package dev.cede.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A card as its driver shows it.
 *
 * @param index the driver's index, from 0; breaks ties
 * @param minor N of {@code /dev/nvidiaN}
 * @param totalBytes as the driver counts it
 * @param reservedBytes kept by the driver itself
 * @param healthReason empty when healthy
 * @param foreignUnits memory used by nobody's share or by a share beyond its size (B6)
 * @param wholeCardDevices how many devices of {@code nvidia.com/gpu} that are this card kubelet gave
 *     out, by pod UID; more than one where replicas of a card are on offer (B12)
 */
public record Card(
        CardId id,
        int index,
        int minor,
        String model,
        long totalBytes,
        long reservedBytes,
        CardHealth health,
        String healthReason,
        int foreignUnits,
        SortedMap<String, Integer> wholeCardDevices) {

    public Card {
        wholeCardDevices = Collections.unmodifiableSortedMap(new TreeMap<>(wholeCardDevices));
    }

    /** A card that no other device plugin has given out. */
    public Card(
            CardId id,
            int index,
            int minor,
            String model,
            long totalBytes,
            long reservedBytes,
            CardHealth health,
            String healthReason,
            int foreignUnits) {
        this(
                id,
                index,
                minor,
                model,
                totalBytes,
                reservedBytes,
                health,
                healthReason,
                foreignUnits,
                new TreeMap<>());
    }

    /** What may be given out in all: whole units of the usable memory (B1). */
    public int capacityUnits() {
        return Units.floor(totalBytes - reservedBytes);
    }

    public boolean takesNew() {
        return health == CardHealth.HEALTHY;
    }

    public Card withHealth(CardHealth now, String reason) {
        return with(now, reason, foreignUnits, wholeCardDevices);
    }

    public Card withForeignUnits(int now) {
        return with(health, healthReason, now, wholeCardDevices);
    }

    public Card withWholeCardDevices(SortedMap<String, Integer> now) {
        return with(health, healthReason, foreignUnits, now);
    }

    private Card with(
            CardHealth newHealth,
            String newReason,
            int newForeignUnits,
            SortedMap<String, Integer> newDevices) {
        return new Card(
                id,
                index,
                minor,
                model,
                totalBytes,
                reservedBytes,
                newHealth,
                newReason,
                newForeignUnits,
                newDevices);
    }

    /** For sentences: {@code c0}. */
    public String shortName() {
        return "c" + index;
    }
}
