package dev.cede.sandbox.eyes;

import dev.cede.sandbox.picture.CardView;
import dev.cede.sandbox.picture.CardView.HoldView;
import dev.cede.sandbox.picture.CardView.ShareView;
import dev.cede.sandbox.play.NodeSight;
import dev.cede.sandbox.play.PodSight;
import dev.cede.v1.CardBooks;
import dev.cede.v1.IsolationType;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.v1.Reservation;
import dev.cede.v1.Share;
import dev.cede.v1.ShareState;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What API server and agents say, in the player's words. Pure. */
final class Sights {
    private static final int FULL_CORE = 100;

    private Sights() {}

    static PodSight pod(Pod pod) {
        PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
        return new PodSight(
                pod.getMetadata().getUid(),
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                workload(pod),
                Objects.requireNonNullElse(status.getPhase(), "Pending"),
                pod.getMetadata().getDeletionTimestamp() != null,
                Objects.requireNonNullElse(pod.getSpec().getNodeName(), ""),
                Objects.requireNonNullElse(status.getNominatedNodeName(), ""),
                status.getConditions().stream()
                        .filter(condition -> "True".equals(condition.getStatus()))
                        .map(PodCondition::getType)
                        .sorted()
                        .toList(),
                because(status),
                ended(status),
                false);
    }

    /** A ReplicaSet of a Deployment has the Deployment's name and a dash and a hash. */
    private static String workload(Pod pod) {
        Optional<OwnerReference> owner = pod.getMetadata().getOwnerReferences().stream()
                .filter(reference -> Boolean.TRUE.equals(reference.getController()))
                .findFirst();
        return owner.map(reference -> reference.getKind().equals("ReplicaSet")
                        ? reference.getName().replaceFirst("-[^-]*$", "")
                        : reference.getName())
                .orElse(pod.getMetadata().getName());
    }

    private static String because(PodStatus status) {
        return status.getConditions().stream()
                .filter(condition -> "PodScheduled".equals(condition.getType()))
                .filter(condition -> "False".equals(condition.getStatus()))
                .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                .findFirst()
                .orElse("");
    }

    private static String ended(PodStatus status) {
        if (!"Failed".equals(status.getPhase())) {
            return "";
        }
        String reason = Objects.requireNonNullElse(status.getReason(), "");
        String message = Objects.requireNonNullElse(status.getMessage(), "");
        return (reason + " " + message).strip();
    }

    static NodeSight node(ListNodeCardsResponse response) {
        String node = response.getNode();
        SortedMap<String, List<String>> cardsOf = new TreeMap<>();
        SortedSet<String> inBooks = new TreeSet<>();
        List<CardBooks> cards = response.getCardsList().stream()
                .sorted(Comparator.comparingInt(books -> books.getCard().getIndex()))
                .toList();
        for (CardBooks books : cards) {
            for (Share share : books.getSharesList()) {
                inBooks.add(share.getPod().getUid());
                if (share.getState() == ShareState.ALLOCATED) {
                    cardsOf.merge(
                            share.getPod().getUid(), List.of(name(node, books)), Sights::union);
                }
            }
        }
        return new NodeSight(
                node,
                cards.stream().map(books -> card(node, books)).toList(),
                cardsOf,
                inBooks,
                cards.stream().flatMap(books -> overfull(node, books).stream()).findFirst());
    }

    private static List<String> union(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).distinct().toList();
    }

    private static String name(String node, CardBooks books) {
        return node + "/c" + books.getCard().getIndex();
    }

    private static CardView card(String node, CardBooks books) {
        return new CardView(
                node,
                books.getCard().getIndex(),
                books.getCard().getCapacityUnits(),
                books.getFreeUnits(),
                books.getCard().getForeignUnits(),
                books.getHeldUnits(),
                kind(books.getType()),
                books.getSharesList().stream()
                        .map(Sights::share)
                        .sorted(Comparator.comparing(ShareView::pod)
                                .thenComparing(ShareView::container))
                        .toList(),
                books.getHoldsList().stream()
                        .map(hold -> hold(hold, books.getCard().getUuid()))
                        .filter(hold -> hold.units() > 0)
                        .sorted(Comparator.comparing(HoldView::pod))
                        .toList());
    }

    private static String kind(IsolationType type) {
        return switch (type) {
            case MEMORY -> "memory";
            case MEMORY_AND_CORE -> "memory and core";
            default -> "no type";
        };
    }

    private static ShareView share(Share share) {
        CardView.State state = switch (share.getState()) {
            case RESERVED -> CardView.State.RESERVED;
            case RELEASING -> CardView.State.RELEASING;
            default -> CardView.State.ALLOCATED;
        };
        return new ShareView(
                share.getPod().getName(),
                share.getContainer(),
                share.getUnits(),
                share.getCorePercentage(),
                state);
    }

    private static HoldView hold(Reservation hold, String card) {
        int units = hold.getSharesList().stream()
                .filter(share -> share.getCard().equals(card))
                .mapToInt(Share::getUnits)
                .sum();
        return new HoldView(hold.getPod().getName(), units);
    }

    /** B6's sum and B4's; no run may ever break them. */
    private static Optional<String> overfull(String node, CardBooks books) {
        int units = books.getSharesList().stream().mapToInt(Share::getUnits).sum()
                + books.getHeldUnits();
        int core = books.getSharesList().stream()
                .mapToInt(Share::getCorePercentage)
                .sum();
        int capacity = books.getCard().getCapacityUnits();
        return units <= capacity && core <= FULL_CORE
                ? Optional.empty()
                : Optional.of("%s has %d of %d units and %d %% core given out"
                        .formatted(name(node, books), units, capacity, core));
    }
}
