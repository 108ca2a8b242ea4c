package dev.cede.coordinator.planner;

import dev.cede.ledger.Load;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.IsolationType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A card as planned so far.
 *
 * @param load all that counts, residents and places of the plan too
 * @param settled types of what is here beside the residents: holds, places of the plan, shares of
 *     nobody known
 * @param residents by name
 * @param maxShares (B3)
 * @param closed why nothing may be placed or evicted here, or empty
 */
record CardState(
        Card card,
        Load load,
        Set<IsolationType> settled,
        List<Resident> residents,
        int maxShares,
        Optional<String> closed) {
    private static final int ALL_CORE = 100;

    CardId id() {
        return card.id();
    }

    /** What may be given out in all; foreign use lowers it (B6). */
    int usableUnits() {
        return Math.max(0, card.capacityUnits() - card.foreignUnits());
    }

    int freeUnits() {
        return Math.max(0, usableUnits() - load.units());
    }

    int freeCore() {
        return Math.max(0, ALL_CORE - load.core());
    }

    int freeShares() {
        return Math.max(0, maxShares - load.shares());
    }

    /** What would not fit if this came on top. */
    Load excess(Load more) {
        return load.plus(more).beyond(new Load(usableUnits(), ALL_CORE, maxShares));
    }

    /** Whether something that no eviction removes is of a clashing type. */
    boolean settledClashes(IsolationType type) {
        return settled.stream().anyMatch(each -> !each.mayShareCardWith(type));
    }

    CardState without(Resident gone) {
        if (!gone.isOn(id())) {
            return this;
        }
        List<Resident> left = new ArrayList<>(residents);
        left.remove(gone);
        return new CardState(card, load.minus(gone.on(id())), settled, left, maxShares, closed);
    }

    CardState with(Resident back) {
        if (!back.isOn(id())) {
            return this;
        }
        List<Resident> all = new ArrayList<>(residents);
        all.add(back);
        all.sort(Resident.BY_NAME);
        return new CardState(card, load.plus(back.on(id())), settled, all, maxShares, closed);
    }

    CardState with(Load placed, IsolationType type) {
        Set<IsolationType> types = EnumSet.of(type);
        types.addAll(settled);
        return new CardState(
                card,
                load.plus(placed),
                Collections.unmodifiableSet(types),
                residents,
                maxShares,
                closed);
    }
}
