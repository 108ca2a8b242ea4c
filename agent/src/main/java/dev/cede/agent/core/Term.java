package dev.cede.agent.core;

import dev.cede.model.Epoch;
import dev.cede.model.OrderResult;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The coordinator as the agent knows it.
 *
 * @param welcomed whether this stream's welcome, of the highest epoch, was taken
 * @param results of the latest orders
 */
record Term(Epoch highest, boolean welcomed, List<OrderResult> results) {
    /** A doubled order comes soon after the first, or is the same in content. */
    private static final int REMEMBERED = 256;

    Term {
        results = List.copyOf(results);
    }

    static Term after(Epoch highest) {
        return new Term(highest, false, List.of());
    }

    Term seen(Epoch epoch) {
        return highest.isOlderThan(epoch) ? new Term(epoch, false, results) : this;
    }

    Term welcomed(boolean now) {
        return new Term(highest, now, results);
    }

    Optional<OrderResult> resultOf(String orderId) {
        return results.stream().filter(each -> each.orderId().equals(orderId)).findFirst();
    }

    Term answered(OrderResult result) {
        List<OrderResult> next = new ArrayList<>(results);
        next.add(result);
        return new Term(
                highest,
                welcomed,
                next.subList(Math.max(0, next.size() - REMEMBERED), next.size()));
    }
}
