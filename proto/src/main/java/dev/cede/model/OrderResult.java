package dev.cede.model;

/**
 * An agent's answer to an order.
 *
 * @param orderId the order's
 * @param refusal {@link Refusal#NONE} when it was carried out
 * @param reason one sentence, empty when it was carried out
 */
public record OrderResult(String orderId, Refusal refusal, String reason) {
    /** Why an agent refuses an order. */
    public enum Refusal {
        NONE,
        STALE_EPOCH,
        NO_ROOM,
        UNKNOWN_CARD,
        UNKNOWN_RESERVATION,
        ALREADY_ALLOCATED
    }

    public boolean done() {
        return refusal == Refusal.NONE;
    }
}
