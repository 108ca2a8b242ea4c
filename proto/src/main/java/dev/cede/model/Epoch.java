package dev.cede.model;

/**
 * A coordinator's term of leadership; each term has a larger one.
 *
 * @param value 0 before the first term
 */
public record Epoch(long value) implements Comparable<Epoch> {
    public static final Epoch NONE = new Epoch(0);

    public Epoch {
        if (value < 0) {
            throw new IllegalArgumentException("epoch " + value);
        }
    }

    public boolean isOlderThan(Epoch other) {
        return value < other.value;
    }

    @Override
    public int compareTo(Epoch other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
