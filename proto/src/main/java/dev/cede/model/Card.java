package dev.cede.model;

/**
 * A card as its driver shows it.
 *
 * @param index the driver's index, from 0; breaks ties
 * @param minor N of {@code /dev/nvidiaN}
 * @param totalBytes as the driver counts it
 * @param reservedBytes kept by the driver itself
 * @param healthReason empty when healthy
 * @param foreignUnits memory used by nobody's share or by a share beyond its size (B6)
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
        int foreignUnits) {

    /** What may be given out in all: whole units of the usable memory (B1). */
    public int capacityUnits() {
        return Units.floor(totalBytes - reservedBytes);
    }

    public boolean takesNew() {
        return health == CardHealth.HEALTHY;
    }

    public Card withHealth(CardHealth now, String reason) {
        return new Card(
                id, index, minor, model, totalBytes, reservedBytes, now, reason, foreignUnits);
    }

    public Card withForeignUnits(int now) {
        return new Card(
                id, index, minor, model, totalBytes, reservedBytes, health, healthReason, now);
    }

    /** For sentences: {@code c0}. */
    public String shortName() {
        return "c" + index;
    }
}
