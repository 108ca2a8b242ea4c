package dev.cede.coordinator.loop;

import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

/** The place of one pod, from the decision until kubelet has given its shares out. */
final class Claim {
    /** How far the Binding is. */
    enum Binding {
        NONE,
        SENT,
        /** The answer is not known: the pod is being read. */
        UNKNOWN,
        BOUND
    }

    private final String node;
    private final Reservation reservation;
    private Binding binding = Binding.NONE;

    /** False while the plan it belongs to is not saved. */
    private boolean sendable;

    /** The plan that is being saved to take this place (E8); empty when nobody does. */
    private String contestedBy = "";

    private String orderId = "";
    private long orderStream;
    private boolean acknowledged;

    Claim(String node, Reservation reservation, boolean sendable) {
        this.node = node;
        this.reservation = reservation;
        this.sendable = sendable;
        this.acknowledged = reservation.shares().isEmpty();
    }

    PodRef pod() {
        return reservation.pod();
    }

    String node() {
        return node;
    }

    Reservation reservation() {
        return reservation;
    }

    String plan() {
        return reservation.plan();
    }

    boolean withoutShares() {
        return reservation.shares().isEmpty();
    }

    void maySend() {
        sendable = true;
    }

    /** Whether effects may leave for it: its plan is saved, and nobody is taking its place. */
    boolean sendable() {
        return sendable && contestedBy.isEmpty();
    }

    /** Whether an agent is to have it, contested or not. */
    boolean wanted() {
        return sendable && !withoutShares();
    }

    void contested(String plan) {
        contestedBy = plan;
    }

    boolean isContestedBy(String plan) {
        return contestedBy.equals(plan);
    }

    String contestedBy() {
        return contestedBy;
    }

    boolean isContested() {
        return !contestedBy.isEmpty();
    }

    /** Whether the agent has it on disk, in this term. */
    boolean acknowledged() {
        return acknowledged;
    }

    void sent(String id, long stream) {
        orderId = id;
        orderStream = stream;
    }

    boolean sentOn(long stream) {
        return orderStream == stream && !orderId.isEmpty();
    }

    boolean isOrder(String id) {
        return orderId.equals(id);
    }

    void acknowledge() {
        acknowledged = true;
    }

    /** On a new stream the agent's word counts anew. */
    void streamChanged() {
        acknowledged = withoutShares();
    }

    Binding binding() {
        return binding;
    }

    void binding(Binding next) {
        binding = next;
    }

    /** Between its Binding and its allocation. */
    boolean inFlight() {
        return binding != Binding.NONE;
    }
}
