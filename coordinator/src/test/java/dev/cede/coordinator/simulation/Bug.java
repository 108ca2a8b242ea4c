package dev.cede.coordinator.simulation;

import dev.cede.agent.core.Checkpoint;
import dev.cede.agent.core.DriverReading;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.testbed.apiserver.ApiRequest;

import java.util.Optional;

/** What a mistake in the product would do at its seams; {@link #NONE} does nothing of it. */
interface Bug {
    Bug NONE = new Bug() {};

    default ApiRequest binding(ApiRequest request) {
        return request;
    }

    /** Whether effects leave before ZooKeeper has answered. */
    default boolean actsUnsaved() {
        return false;
    }

    /** Whether an eviction counts as kubelet's half of the release. */
    default boolean freesEvicted() {
        return false;
    }

    default DriverReading reading(DriverReading reading) {
        return reading;
    }

    default Checkpoint restored(Checkpoint checkpoint) {
        return checkpoint;
    }

    /** The epoch as the agent takes it. */
    default Epoch epoch(Epoch sent, Epoch highest) {
        return sent;
    }

    /** The order's name as the agent takes it. */
    default String orderId(String id, boolean again) {
        return id;
    }

    /** The order as the agent takes it; empty is an order that is answered and not obeyed. */
    default Optional<Order> order(Order order, boolean again) {
        return Optional.of(order);
    }
}
