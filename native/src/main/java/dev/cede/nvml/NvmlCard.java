package dev.cede.nvml;

/**
 * A card as the driver describes it.
 *
 * @param uuid such as {@code GPU-8f2a…}; stays the same over restarts
 * @param index the driver's order, from 0; may change at a restart
 * @param minorNumber N of {@code /dev/nvidiaN}
 * @param pciBusId such as {@code 00000000:3B:00.0}
 * @param totalBytes all memory of the card
 * @param reservedBytes what the driver keeps for itself, never usable
 * @param usedBytes what is in use now, the reserved part not counted
 */
public record NvmlCard(
        String uuid,
        int index,
        int minorNumber,
        String name,
        String pciBusId,
        long totalBytes,
        long reservedBytes,
        long usedBytes) {

    public NvmlCard {
        if (totalBytes <= 0 || reservedBytes < 0 || usedBytes < 0 || reservedBytes > totalBytes) {
            throw new IllegalArgumentException("card " + uuid + " with total " + totalBytes
                    + ", reserved " + reservedBytes + ", used " + usedBytes + " bytes");
        }
    }
}
