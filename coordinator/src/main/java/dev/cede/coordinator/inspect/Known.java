package dev.cede.coordinator.inspect;

import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.Place;
import dev.cede.coordinator.loop.Snapshot.PlanState;
import dev.cede.coordinator.loop.Snapshot.Release;
import dev.cede.model.BookedShare;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a snapshot has on one pod, node or plan. */
record Known(Snapshot now) {
    Optional<Place> place(String uid) {
        return now.places().stream()
                .filter(place -> place.pod().uid().equals(uid))
                .findFirst();
    }

    Optional<PlanState> plan(String id) {
        return now.plans().stream().filter(plan -> plan.plan().id().equals(id)).findFirst();
    }

    /** The plan that has it among its members. */
    Optional<PlanState> planWith(String uid) {
        return now.plans().stream()
                .filter(plan -> plan.plan().placements().stream()
                        .anyMatch(placement -> placement.pod().uid().equals(uid)))
                .findFirst();
    }

    Optional<NodeState> node(String name) {
        return now.nodes().stream()
                .filter(node -> node.view().name().equals(name))
                .findFirst();
    }

    /** Nodes in whose books shares of the pod stand, given out or releasing. */
    List<NodeState> nodesWithSharesOf(String uid) {
        return now.nodes().stream().filter(node -> !shares(node, uid).isEmpty()).toList();
    }

    static List<BookedShare> shares(NodeState node, String uid) {
        return node.view().ledger().sharesOf(uid);
    }

    static Optional<Reservation> reserved(NodeState node, String uid) {
        return Optional.ofNullable(node.view().ledger().reservations().get(uid));
    }

    /** Whether the API server's lists have the object. */
    boolean isListed(PodRef pod) {
        return now.pods().stream().anyMatch(other -> other.pod().ref().equals(pod));
    }

    List<Release> releases(String uid) {
        return now.releases().stream()
                .filter(release -> release.pod().uid().equals(uid))
                .toList();
    }

    /** Every pod that some books name. */
    Stream<PodRef> inBooks() {
        return now.nodes().stream()
                .map(node -> node.view().ledger())
                .flatMap(ledger -> Stream.concat(
                        ledger.shares().values().stream()
                                .map(booked -> booked.share().pod()),
                        ledger.reservations().values().stream().map(Reservation::pod)));
    }
}
