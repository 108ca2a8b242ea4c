package dev.cede.coordinator.simulation;

import dev.cede.agent.core.Checkpoint;
import dev.cede.agent.core.DriverReading;
import dev.cede.model.Amount;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.testbed.apiserver.ApiRequest;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Mistakes planted at the seams of the real cores; a simulation that is worth its time finds each. */
enum PlantedBugs implements Bug {
    AGENT_OBEYS_OLD_EPOCHS {
        @Override
        public Epoch epoch(Epoch sent, Epoch highest) {
            return sent.isOlderThan(highest) ? highest : sent;
        }
    },
    BINDING_WITHOUT_RESOURCE_VERSION {
        @Override
        public ApiRequest binding(ApiRequest request) {
            return new ApiRequest(
                    request.method(),
                    request.path(),
                    request.query(),
                    request.contentType(),
                    request.accept(),
                    request.body().replaceAll("\"resourceVersion\":\"[0-9]+\",?", ""));
        }
    },
    EVICTION_BEFORE_THE_SAVE {
        @Override
        public boolean actsUnsaved() {
            return true;
        }
    },
    RELEASE_WITHOUT_THE_DRIVER {
        @Override
        public DriverReading reading(DriverReading reading) {
            return new DriverReading(
                    reading.ticket(),
                    reading.cards(),
                    reading.unread(),
                    List.of(),
                    new TreeMap<>());
        }
    },
    RELEASE_WITHOUT_KUBELET {
        @Override
        public boolean freesEvicted() {
            return true;
        }
    },
    SHARE_FORGOTTEN_AT_AGENT_RESTART {
        @Override
        public Checkpoint restored(Checkpoint saved) {
            return new Checkpoint(
                    saved.highestEpoch(),
                    saved.prefixes(),
                    saved.reservations(),
                    saved.shares().stream().skip(1).toList(),
                    saved.held(),
                    saved.given(),
                    saved.over(),
                    saved.freed(),
                    saved.attributions());
        }
    },
    RETRY_COUNTED_TWICE {
        @Override
        public Optional<Order> order(Order order, boolean again) {
            return Optional.of(
                    again && order instanceof Order.Reserve reserve
                            ? new Order.Reserve(twice(reserve.reservation()))
                            : order);
        }

        @Override
        public String orderId(String id, boolean again) {
            return again ? id + "-again" : id;
        }
    },
    HOLD_NOT_RELEASED {
        @Override
        public Optional<Order> order(Order order, boolean again) {
            return order instanceof Order.Drop ? Optional.empty() : Optional.of(order);
        }
    };

    private static Reservation twice(Reservation reservation) {
        return reservation.withShares(reservation.shares().stream()
                .map(share -> new Share(
                        share.pod(),
                        share.container(),
                        share.card(),
                        new Amount(2 * share.amount().units(), share.amount().core())))
                .toList());
    }
}
