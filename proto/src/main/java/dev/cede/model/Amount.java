package dev.cede.model;

/**
 * What a share takes of a card.
 *
 * @param units memory, in units of 128 MiB, at least 1 for a share
 * @param core compute, 0..100 percent of the card; 0 is none
 */
public record Amount(int units, int core) {
    public static final Amount NONE = new Amount(0, 0);

    public Amount {
        if (units < 0 || core < 0 || core > 100) {
            throw new IllegalArgumentException("units " + units + ", core " + core);
        }
    }

    /** The isolation type of a share of this size (A5). */
    public IsolationType type() {
        return core == 0 ? IsolationType.MEMORY : IsolationType.MEMORY_AND_CORE;
    }

    @Override
    public String toString() {
        return core == 0 ? units + "u" : units + "u," + core + "%";
    }
}
