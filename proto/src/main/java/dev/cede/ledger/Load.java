package dev.cede.ledger;

import dev.cede.model.Amount;

/**
 * A sum over shares. Unlike an {@link Amount} it may exceed a card, which is how an overfull card
 * is noticed.
 *
 * @param units of 128 MiB
 * @param core percent
 * @param shares how many
 */
public record Load(int units, int core, int shares) {
    public static final Load NONE = new Load(0, 0, 0);

    public Load plus(Amount amount) {
        return new Load(units + amount.units(), core + amount.core(), shares + 1);
    }

    public Load plus(Load other) {
        return new Load(units + other.units, core + other.core, shares + other.shares);
    }

    /** For a part of this: undoes {@link #plus(Load)}. */
    public Load minus(Load part) {
        return new Load(units - part.units, core - part.core, shares - part.shares);
    }

    /** What of this exceeds the other, in each dimension by itself, never below zero. */
    public Load beyond(Load other) {
        return new Load(
                Math.max(0, units - other.units),
                Math.max(0, core - other.core),
                Math.max(0, shares - other.shares));
    }
}
