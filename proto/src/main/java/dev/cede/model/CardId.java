package dev.cede.model;

/**
 * A card, by the UUID that the driver gives it.
 *
 * @param uuid as in {@code GPU-8dcd427f-…}
 */
public record CardId(String uuid) implements Comparable<CardId> {
    public CardId {
        if (uuid.isEmpty()) {
            throw new IllegalArgumentException("a card without UUID");
        }
    }

    @Override
    public int compareTo(CardId other) {
        return uuid.compareTo(other.uuid);
    }

    @Override
    public String toString() {
        return uuid;
    }
}
